import { counted } from '../../apis/counted.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { ManifestFlags } from '../manifest-parameters.ts';
import { readSources } from '../read-sources.ts';
import { type ConversionOutput, convertSources } from './conversion-output.ts';

/** Runs `kerf convert`. */
export function runConvert(context: CliContext, { file = [], output }: ManifestFlags, more: readonly string[]): void {
  const { sources, unreadable } = readSources(context, [...file, ...more]);
  const found = convertSources(sources);
  const all = { ...found, unreadable: [...unreadable, ...found.unreadable] };
  const { objects, warnings } = all;
  context.process.stderr.write(notesOf(all));
  context.process.stdout.write(
    output === 'json' ? `${JSON.stringify({ objects, warnings, unreadable: all.unreadable }, null, 2)}\n` : all.yaml,
  );
  const read = objects.length > 0;
  context.process.exitCode = !read ? EXIT.badInput : all.unreadable.length > 0 ? EXIT.findings : EXIT.fine;
}

function notesOf({ warnings, unreadable, converted, read }: ConversionOutput): string {
  const lines = [
    ...unreadable.map(({ file, line, message }) => `${file}:${line}  error  ${message}`),
    ...warnings.map(({ file, line, path, message, fix }) => {
      const what = path === '' ? message : `${path}: ${message}`;
      return `${file}:${line}  warning  ${what}\n    → ${fix}`;
    }),
    `${converted} of ${counted(read, 'document')} converted`,
  ];
  return `${lines.join('\n')}\n`;
}
