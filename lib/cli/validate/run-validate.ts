import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { readSources, templateNotes } from '../read-sources.ts';
import { renderGithub } from './render-github.ts';
import { renderSarif } from './render-sarif.ts';
import { renderValidation, summaryOf } from './render-validation.ts';
import { reportedOf } from './reported.ts';
import type { ValidateFlags } from './validate-command.ts';
import { type Validation, validate } from './validation.ts';

/** Runs `kerf validate`. */
export function runValidate(context: CliContext, flags: ValidateFlags, more: readonly string[]): void {
  const { file = [], output, strict } = flags;
  const { sources, unreadable, templates } = readSources(context, [...file, ...more]);
  const found = validate(sources, unreadable.length === 0);
  const all = { ...found, unreadable: [...unreadable, ...found.unreadable] };
  const { objects } = all;
  context.process.stderr.write(templateNotes(templates));
  context.process.stdout.write(rendered(output, all, context));
  const accepted = strict
    ? objects.every(({ findings }) => findings.length === 0)
    : objects.every(({ valid }) => valid);
  const sound = all.unreadable.length === 0 && accepted;
  context.process.exitCode = found.seen === 0 ? EXIT.badInput : sound ? EXIT.fine : EXIT.findings;
}

function rendered(output: ValidateFlags['output'], all: Validation, context: CliContext): string {
  const { objects, unreadable } = all;
  switch (output) {
    case 'text':
      return renderValidation(all, context);
    case 'json':
      return `${JSON.stringify({ objects, unreadable }, null, 2)}\n`;
    case 'github':
      return `${renderGithub(reportedOf(objects, unreadable))}${summaryOf(all)}`;
    case 'sarif':
      return renderSarif(reportedOf(objects, unreadable));
  }
}
