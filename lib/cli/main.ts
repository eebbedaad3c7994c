/** The entry point, started by `bin/kerf.js`. */
import { runCommandLine } from './run-command-line.ts';
import { shellContext } from './shell-context.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), shellContext());
