import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { readSources, templateNotes } from '../read-sources.ts';
import { renderValidation } from './render-validation.ts';
import type { ValidateFlags } from './validate-command.ts';
import { validate } from './validation.ts';

/** Runs `kerf validate`. */
export function runValidate(context: CliContext, flags: ValidateFlags, more: readonly string[]): void {
  const { file = [], output, strict } = flags;
  const { sources, unreadable, templates } = readSources(context, [...file, ...more]);
  const found = validate(sources, unreadable.length === 0);
  const all = { ...found, unreadable: [...unreadable, ...found.unreadable] };
  const { objects } = all;
  context.process.stderr.write(templateNotes(templates));
  const report = { objects, unreadable: all.unreadable };
  context.process.stdout.write(
    output === 'json' ? `${JSON.stringify(report, null, 2)}\n` : renderValidation(all, context),
  );
  const accepted = strict
    ? objects.every(({ findings }) => findings.length === 0)
    : objects.every(({ valid }) => valid);
  const sound = all.unreadable.length === 0 && accepted;
  context.process.exitCode = found.seen === 0 ? EXIT.badInput : sound ? EXIT.fine : EXIT.findings;
}
