import { BadInputError } from '../../apis/bad-input-error.ts';
import { counted } from '../../apis/counted.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { readSources, reasonOf, templateNotes, type Unreadable } from '../read-sources.ts';
import { passedOverNotes } from '../render/ignored-notes.ts';
import { type ConversionOutput, convertSources } from './conversion-output.ts';
import type { ConvertFlags } from './convert-command.ts';

/** Runs `kerf convert`. */
export function runConvert(context: CliContext, flags: ConvertFlags, more: readonly string[]): void {
  const { file = [], output, write, strict } = flags;
  const paths = [...file, ...more];
  if (write && paths.includes('-'))
    throw new BadInputError('--write cannot change standard input: use files or folders, or leave --write out');
  const { sources, unreadable, templates } = readSources(context, paths);
  const found = convertSources(sources);
  const unwritten = write ? writeFiles(context, found) : [];
  const all = { ...found, unreadable: [...unreadable, ...found.unreadable, ...unwritten] };
  const { objects, warnings } = all;
  context.process.stderr.write(`${templateNotes(templates)}${notesOf(all)}`);
  if (output === 'json')
    context.process.stdout.write(`${JSON.stringify({ objects, warnings, unreadable: all.unreadable }, null, 2)}\n`);
  else if (!write) context.process.stdout.write(all.yaml);
  const isFine = all.unreadable.length === 0 && !(strict && warnings.length > 0);
  context.process.exitCode = objects.length === 0 ? EXIT.badInput : isFine ? EXIT.fine : EXIT.findings;
}

/** Replaces the files that have something to convert. *Shape:* those that cannot be written. */
function writeFiles({ writeText, process }: CliContext, { files }: ConversionOutput): readonly Unreadable[] {
  return files.flatMap(({ file, yaml, converted, isSound }): readonly Unreadable[] => {
    if (converted === 0 || !isSound) return [];
    try {
      writeText(file, yaml);
      process.stderr.write(`${file}: written, ${counted(converted, 'document')} converted\n`);
      return [];
    } catch (cause) {
      return [{ file, line: 1, message: `cannot be written: ${reasonOf(cause)}` }];
    }
  });
}

function notesOf({ warnings, unreadable, passedOver, converted, read }: ConversionOutput): string {
  const lines = [
    ...passedOverNotes(passedOver),
    ...unreadable.map(({ file, line, message }) => `${file}:${line}  error  ${message}`),
    ...warnings.map(({ file, line, path, message, fix }) => {
      const what = path === '' ? message : `${path}: ${message}`;
      return `${file}:${line}  warning  ${what}\n    → ${fix}`;
    }),
    `${converted} of ${counted(read, 'document')} converted`,
  ];
  return `${lines.join('\n')}\n`;
}
