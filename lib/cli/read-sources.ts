import { BadInputError } from '../apis/bad-input-error.ts';
import { fieldOf } from '../apis/record.ts';
import type { ManifestSource } from '../manifests/read/read-documents.ts';
import { type CliContext, MAX_TEXT } from './context.ts';
import { printable } from './render/render-lines.ts';

/** A file or document that cannot be read. */
export interface Unreadable {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface Sources {
  readonly sources: readonly ManifestSource[];
  readonly unreadable: readonly Unreadable[];
  /** Templates and Terraform files of the folders that name Karpenter. They are not read. */
  readonly templates: readonly string[];
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
  const templates: string[] = [];
  let characters = 0;
  for (const path of new Set(paths)) {
    try {
      const { files, others, isFolder } = filesOf(context, path);
      for (const file of files) {
        const text = context.readText(file);
        characters += text.length;
        if (characters > MAX_TEXT) throw new RangeError('the input is larger than 16 MB in total');
        sources.push({ file: file === '-' ? 'stdin' : file, text, ...(isFolder && { inFolder: true }) });
      }
      templates.push(...others.filter((file) => namesKarpenter(context, file)));
    } catch (cause) {
      unreadable.push({ file: path, line: 1, message: `cannot be read: ${reasonOf(cause)}` });
    }
  }
  return { sources, unreadable, templates };
}

/**
 * The same for commands that need all files; templates that are not read are named on stderr. *Errors:* BadInputError with the
 * first file that cannot be read.
 */
export function readAllSources(context: CliContext, paths: readonly string[]): readonly ManifestSource[] {
  const { sources, unreadable, templates } = readSources(context, paths);
  context.process.stderr.write(templateNotes(templates));
  const [missing] = unreadable;
  if (missing === undefined) return sources;
  throw new BadInputError(`${missing.file} ${missing.message}. Use existing files or folders, or - for standard input`);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder; use a file',
};

export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause ? String(cause.code) : '';
  return fieldOf(REASONS, code) ?? cause.message;
}

/** One line for each template that was not read. */
export function templateNotes(templates: readonly string[]): string {
  return templates
    .map((file) => `${printable(file)}: is not read, and names karpenter.sh: use what it renders, as YAML or JSON\n`)
    .join('');
}

const MANIFEST = /\.(?:ya?ml|json)$/i;
const TEMPLATE = /\.(?:tpl|tftpl|tf|tmpl|gotmpl|j2|jsonnet|libsonnet|cue|hcl)$/i;

interface FilesOfPath {
  readonly files: readonly string[];
  /** Files of a folder that may contain manifests in another form. */
  readonly others: readonly string[];
  readonly isFolder: boolean;
}

/** Hidden folders and node_modules are skipped. */
function filesOf(context: CliContext, path: string): FilesOfPath {
  const all = context.filesIn(path);
  if (all === undefined) return { files: [path], others: [], isFolder: false };
  const shown = all.filter((file) => !/(?:^|[/\\])(?:\.|node_modules[/\\])/.test(file.slice(path.length)));
  const files = shown.filter((file) => MANIFEST.test(file));
  const others = shown.filter((file) => TEMPLATE.test(file));
  if (files.length === 0 && !others.some((file) => namesKarpenter(context, file)))
    throw new RangeError('the folder has no .yaml, .yml or .json files');
  return { files, others, isFolder: true };
}

function namesKarpenter(context: CliContext, file: string): boolean {
  try {
    return /karpenter\.(?:sh|k8s\.aws)/.test(context.readText(file));
  } catch {
    // The file is not read in any case.
    return false;
  }
}
