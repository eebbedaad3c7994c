import process from 'node:process';
import measured from '../data/kerf-cost.json' with { type: 'json' };
import { OptionError } from '../lib/operator/options/option-values.ts';
import { kerfApp } from '../lib/stack/kerf-app.ts';

try {
  const lines = kerfApp().summarize(measured);
  process.stderr.write(lines.map((line) => `${line}\n`).join(''));
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  process.stderr.write(`${error.message} (docs/settings.md)\n`);
  process.exitCode = 2;
}
