/** The entry point, started by `bin/kerf.js`. */
import { run } from '@stricli/core';
import { app } from './app.ts';
import { orHelp } from './or-help.ts';
import { shellContext } from './shell-context.ts';

const context = shellContext();
await run(app, orHelp(process.argv.slice(2)), context);
// The exit codes of Stricli for bad input (unknown command, invalid argument) are negative.
const code = Number(context.process.exitCode ?? 0);
process.exitCode = code < 0 ? 2 : code;
