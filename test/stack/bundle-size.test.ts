import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Assembly, bundle, bundles } from './assembly.ts';

const KB = 1_000;

/** What a function reads when it starts cold, minified. What it needs only sometimes, such as the S3 client, is in other files. */
const BUDGETS: Readonly<Record<string, number>> = {
  webhook: 250 * KB,
  'webhook-secret': 47 * KB,
  provisioning: 1_179 * KB,
  lifecycle: 1_118 * KB,
  disruption: 1_245 * KB,
  termination: 991 * KB,
  catalogue: 352 * KB,
  interruption: 541 * KB,
  installer: 457 * KB,
  widgets: 336 * KB,
};

/** Reads the modules that its arguments name, without running them. */
const READ_MODULES = `
  const { SourceTextModule } = require('node:vm');
  for (const file of process.argv.slice(1)) new SourceTextModule(require('node:fs').readFileSync(file, 'utf8'));
`;

let assembly: Assembly;
let files: Readonly<Record<string, string>>;

beforeAll(() => {
  assembly = bundle([{ name: 'demo' }]);
  files = bundles(assembly);
});

afterAll(() => assembly.remove());

test('every function has a budget', () => {
  expect(Object.keys(files).toSorted()).toEqual(Object.keys(BUDGETS).toSorted());
});

test.each(Object.entries(BUDGETS))('%s reads at most %i bytes when it starts', (name, budget) => {
  const size = readAtStart(files[name] ?? '').reduce((sum, file) => sum + statSync(file).size, 0);
  console.log(`${name}: ${size} of ${budget} bytes`);
  expect(size).toBeLessThanOrEqual(budget);
});

// What esbuild adds around the code is not its own output: a name declared twice shows only here.
test.each(Object.keys(BUDGETS))('%s has modules that Node can read', (name) => {
  const folder = dirname(files[name] ?? '');
  const modules = readdirSync(folder).filter((file) => file.endsWith('.mjs'));
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--experimental-vm-modules', '-e', READ_MODULES, ...modules],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  expect({ status, error: /SyntaxError.*/.exec(stderr)?.[0] }).toEqual({ status: 0 });
});

test('the price tables travel beside the catalogue function, and with no other', () => {
  const carrying = Object.entries(files).filter(([, file]) =>
    existsSync(join(dirname(file), 'data/instance-types.json')),
  );
  expect(carrying.map(([name]) => name)).toEqual(['catalogue']);
});

/** The files that Node reads when it imports this one. *Shape:* with it. */
function readAtStart(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)"\.\/([\w-]+\.mjs)"/g);
  return [file, ...[...imports].flatMap(([, name = '']) => readAtStart(join(dirname(file), name), seen))];
}
