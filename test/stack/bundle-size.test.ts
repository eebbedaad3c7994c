import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Assembly, bundle, bundles } from './assembly.ts';

const KB = 1_000;

/** What is loaded when a function starts cold, minified. `onlyUsedShapes` leaves out the shapes of the AWS SDK that nothing uses. */
const BUDGETS: Readonly<Record<string, number>> = {
  webhook: 370 * KB,
  'webhook-secret': 50 * KB,
  provisioning: 1_440 * KB,
  lifecycle: 1_390 * KB,
  disruption: 1_505 * KB,
  termination: 1_270 * KB,
  catalogue: 470 * KB,
  interruption: 655 * KB,
  installer: 575 * KB,
  widgets: 620 * KB,
};

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

test.each(Object.entries(BUDGETS))('%s stays within %i bytes, and is a module that Node can read', (name, budget) => {
  const file = files[name] ?? '';
  const { size } = statSync(file);
  console.log(`${name}: ${size} of ${budget} bytes`);
  expect(size).toBeLessThanOrEqual(budget);
  // What esbuild adds around the code is not its own output: a name declared twice shows only here.
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' });
  expect(/SyntaxError.*/.exec(stderr)?.[0]).toBeUndefined();
});

test('the price tables travel beside the catalogue function, and with no other', () => {
  const carrying = Object.entries(files).filter(([, file]) =>
    existsSync(join(dirname(file), 'data/instance-types.json')),
  );
  expect(carrying.map(([name]) => name)).toEqual(['catalogue']);
});
