/** What `bin/kerf.js` starts. */
import { run } from '@stricli/core';
import { app } from './app.ts';
import { orHelp } from './or-help.ts';
import { shellContext } from './shell-context.ts';

const context = shellContext();
await run(app, orHelp(process.argv.slice(2)), context);
// Stricli's own codes are negative (unknown command, invalid argument): that is bad input.
const code = Number(context.process.exitCode ?? 0);
process.exitCode = code < 0 ? 2 : code;
