import process from 'node:process';
import { OptionError } from '../lib/operator/options/option-values.ts';
import { kerfApp } from '../lib/stack/kerf-app.ts';

try {
  kerfApp();
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
