import { BadInputError } from '../apis/bad-input-error.ts';

/** Bytes: whole objects of a hundred thousand pods; JSON is parsed at once, where YAML takes its time. */
const MAX_SNAPSHOT = 256 * 1_024 * 1_024;

/** Reads a text file. *Errors:* throws the error of the file system. */
export interface TextReader {
  /** `mostBytes`: a longer file is not read. */
  readText(path: string, mostBytes?: number): string;
}

/** The text of a file of a snapshot. *Errors:* BadInputError; `what` says in it which file this is. */
export function readSnapshotText(context: TextReader, path: string, what: string): string {
  try {
    return context.readText(path, MAX_SNAPSHOT);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const why = REASONS.get(code) ?? (cause instanceof Error ? cause.message : String(cause));
    throw new BadInputError(`${what} cannot be read: ${why}`, { cause });
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file; name one that exists'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a folder; name a file'],
]);
