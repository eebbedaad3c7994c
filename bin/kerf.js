#!/usr/bin/env node
/** The command line. This file is plain JavaScript, so that an older Node.js can run it and print what to do. */
import { existsSync } from 'node:fs';

/** The sources, which only the repository has. The package has what `npm pack` builds from them for an older Node.js. */
const SOURCES = new URL('../lib/cli/main.ts', import.meta.url);
/** npm writes it at the end of an installation of the repository. */
const INSTALLED = new URL('../node_modules/.package-lock.json', import.meta.url);

const fromSources = existsSync(SOURCES);
const problem = fromSources ? whyNotReady() : tooOld('20.12', 'install Node.js 20.12 or newer');
if (problem !== undefined) {
  process.stderr.write(`kerf: ${problem}\n`);
  process.exitCode = 3;
} else if (fromSources) {
  await import('../lib/cli/main.ts');
} else {
  // The SDK warns of Node.js versions whose support it will end; its user cannot act on that.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  await import(built('missing-in-node-20.js'));
  await import(built('main.js'));
}

/** @param {string} file */
function built(file) {
  return new URL(`../dist/cli/${file}`, import.meta.url).href;
}

function whyNotReady() {
  if (!existsSync(INSTALLED)) return 'its packages are not installed: run "npm ci" first';
  return tooOld(
    '24.0',
    'install Node.js 24, or run "npm run kerf -- ARGUMENTS", which uses the Node.js that "npm ci" installed',
  );
}

/**
 * @param {string} oldest
 * @param {string} advice
 */
function tooOld(oldest, advice) {
  const { node } = process.versions;
  const isOld = node.localeCompare(oldest, 'en', { numeric: true }) < 0;
  return isOld ? `Node.js ${node} is too old: ${advice}` : undefined;
}
