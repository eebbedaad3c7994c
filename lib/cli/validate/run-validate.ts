import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { ManifestFlags } from '../manifest-parameters.ts';
import { readSources } from '../read-sources.ts';
import { renderValidation } from './render-validation.ts';
import { validate } from './validation.ts';

export function runValidate(this: CliContext, { file = [], output }: ManifestFlags, ...more: string[]): void {
  const { sources, unreadable } = readSources(this, [...file, ...more]);
  const found = validate(sources);
  const all = { ...found, unreadable: [...unreadable.map((one) => ({ ...one, line: 1 })), ...found.unreadable] };
  const { objects } = all;
  const report = { objects, unreadable: all.unreadable };
  this.process.stdout.write(output === 'json' ? `${JSON.stringify(report, null, 2)}\n` : renderValidation(all, this));
  const sound = all.unreadable.length === 0 && objects.every(({ valid }) => valid);
  this.process.exitCode = found.seen === 0 ? EXIT.badInput : sound ? EXIT.fine : EXIT.findings;
}
