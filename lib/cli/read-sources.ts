import { BadInputError } from '../apis/bad-input-error.ts';
import { fieldOf } from '../apis/record.ts';
import type { ManifestSource } from '../manifests/read/read-documents.ts';
import { type CliContext, MAX_TEXT } from './context.ts';

/** A file or document that cannot be read. */
export interface Unreadable {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface Sources {
  readonly sources: readonly ManifestSource[];
  readonly unreadable: readonly Unreadable[];
}

/**
 * Reads files, the YAML and JSON files below folders, and standard input (`-`), each path once.
 * *Errors:* BadInputError if there is no path; files that cannot be read are in `unreadable`.
 */
export function readSources(context: CliContext, paths: readonly string[]): Sources {
  // An unset shell variable gives an empty path, which must not mean the current folder.
  if (paths.length === 0 || paths.includes(''))
    throw new BadInputError('no file is given: add -f and a file, a folder, or - for standard input');
  const sources: ManifestSource[] = [];
  const unreadable: Unreadable[] = [];
  let characters = 0;
  for (const path of new Set(paths)) {
    try {
      for (const file of manifestFiles(context, path)) {
        const text = context.readText(file);
        characters += text.length;
        if (characters > MAX_TEXT) throw new RangeError('the input is larger than 16 MB in total');
        sources.push({ file: file === '-' ? 'stdin' : file, text });
      }
    } catch (cause) {
      unreadable.push({ file: path, line: 1, message: `cannot be read: ${reasonOf(cause)}` });
    }
  }
  return { sources, unreadable };
}

/** The same for commands that need all files. *Errors:* BadInputError with the first file that cannot be read. */
export function readAllSources(context: CliContext, paths: readonly string[]): readonly ManifestSource[] {
  const { sources, unreadable } = readSources(context, paths);
  const [missing] = unreadable;
  if (missing === undefined) return sources;
  throw new BadInputError(`${missing.file} ${missing.message}. Use existing files or folders, or - for standard input`);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
};

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause ? String(cause.code) : '';
  return fieldOf(REASONS, code) ?? cause.message;
}

/** Hidden folders and node_modules are skipped. */
function manifestFiles(context: CliContext, path: string): readonly string[] {
  const files = context.filesIn(path);
  if (files === undefined) return [path];
  const manifests = files.filter((file) => {
    const below = file.slice(path.length);
    return /\.(?:ya?ml|json)$/i.test(below) && !/(?:^|[/\\])(?:\.|node_modules[/\\])/.test(below);
  });
  if (manifests.length === 0) throw new RangeError('the folder has no .yaml, .yml or .json files');
  return manifests;
}
