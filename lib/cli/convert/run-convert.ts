import { BadInputError } from '../../apis/bad-input-error.ts';
import { counted } from '../../apis/counted.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { readSources, reasonOf, templateNotes, type Unreadable } from '../read-sources.ts';
import { passedOverNotes } from '../render/ignored-notes.ts';
import { type ConversionNote, type ConversionOutput, convertSources } from './conversion-output.ts';
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
    ...groupsOf(warnings).map(linesOf),
    `${converted} of ${counted(read, 'document')} converted`,
  ];
  return `${lines.join('\n')}\n`;
}

/** The warnings that differ only in their place, in the order of the first of each. */
function groupsOf(warnings: readonly ConversionNote[]): readonly (readonly ConversionNote[])[] {
  return [...Map.groupBy(warnings, textOf).values()];
}

function textOf({ path, message, fix }: ConversionNote): string {
  return JSON.stringify([path.replaceAll(/\[\d+\]/g, ''), message, fix]);
}

function linesOf([first, ...others]: readonly ConversionNote[]): string {
  if (first === undefined) return '';
  const { file, line, path, message, fix } = first;
  const what = path === '' ? message : `${path}: ${message}`;
  const more = others.length === 0 ? [] : [`    the same at ${placesOf(others)}`];
  return [`${file}:${line}  warning  ${what}`, `    → ${fix}`, ...more].join('\n');
}

/** The number of places that a warning names. */
const MAX_PLACES = 20;

/** `a.yaml:38, 60; b.yaml:16`. */
function placesOf(notes: readonly ConversionNote[]): string {
  const byFile = Map.groupBy(notes.slice(0, MAX_PLACES), ({ file }) => file);
  const places = [...byFile].map(([file, own]) => `${file}:${own.map(({ line }) => line).join(', ')}`);
  const more = notes.length - MAX_PLACES;
  return `${places.join('; ')}${more > 0 ? ` and ${more} more (--output json has all)` : ''}`;
}
