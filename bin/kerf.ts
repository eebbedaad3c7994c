#!/usr/bin/env node
import { run } from '@stricli/core';
import { app } from '../lib/cli/app.ts';
import { orHelp } from '../lib/cli/or-help.ts';
import { shellContext } from '../lib/cli/shell-context.ts';

const context = shellContext();
await run(app, orHelp(process.argv.slice(2)), context);
// Stricli's own codes are negative (unknown command, invalid argument): that is bad input.
const code = Number(context.process.exitCode ?? 0);
process.exitCode = code < 0 ? 2 : code;
