/** The flags of commands that read manifests. */
export interface ManifestFlags {
  readonly file: readonly string[] | undefined;
  readonly output: 'text' | 'json';
}

const PATH = 'Files, folders, or - for standard input';

export const MANIFEST_PARAMETERS = {
  positional: {
    kind: 'array',
    parameter: { brief: `${PATH}: the same as -f`, placeholder: 'PATH', parse: String },
  },
  flags: {
    file: { kind: 'parsed', brief: PATH, parse: String, variadic: true, optional: true, placeholder: 'PATH' },
    output: { kind: 'enum', brief: 'text or json', values: ['text', 'json'], default: 'text' },
  },
  aliases: { f: 'file', o: 'output' },
} as const;
