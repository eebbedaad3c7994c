#!/usr/bin/env node
/** The command line. This file is plain JavaScript, so that an older Node.js can run it and print what to do. */
import { existsSync } from 'node:fs';

const MIN_NODE_MAJOR = 24;
/** npm writes it at the end of an installation. */
const INSTALLED = new URL('../node_modules/.package-lock.json', import.meta.url);

const problem = whyNotReady();
if (problem === undefined) {
  await import('../lib/cli/main.ts');
} else {
  process.stderr.write(`kerf: ${problem}\n`);
  process.exitCode = 1;
}

function whyNotReady() {
  if (!existsSync(INSTALLED)) return 'its packages are not installed: run "npm ci" first';
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= MIN_NODE_MAJOR) return undefined;
  return `Node.js ${node} is too old: install Node.js ${MIN_NODE_MAJOR}, or run "npm run kerf -- ARGUMENTS", which uses the Node.js that "npm ci" installed`;
}
