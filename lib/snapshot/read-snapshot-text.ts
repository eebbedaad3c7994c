import { BadInputError } from '../apis/bad-input-error.ts';
import { errorMessage } from '../core/error-message.ts';

/** The maximum size in bytes: enough for a hundred thousand pods. It is larger than for manifests, because JSON is fast to parse. */
const MAX_SNAPSHOT = 256 * 1_024 * 1_024;

/** Reads a text file. *Errors:* throws the error of the file system. */
export interface TextReader {
  /** `maxBytes`: a longer file is not read. */
  readText(path: string, maxBytes?: number): string;
}

/** Reads a file of a snapshot. *Errors:* BadInputError with `what` as the description of the file. */
export function readSnapshotText(context: TextReader, path: string, what: string): string {
  try {
    return context.readText(path, MAX_SNAPSHOT);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const why = REASONS.get(code) ?? errorMessage(cause);
    throw new BadInputError(`${what} cannot be read: ${why}`, { cause });
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file; use an existing file'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a folder; use a file'],
]);
