import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Assembly, bundle, bundles } from './assembly.ts';

const KB = 1_000;

/** What is loaded when a function starts cold, minified. The EC2 client alone is 830 kB; records of decisions are 8 kB, usage by the hour 5 kB, log lines with objects and prices 3 kB, launches with their pods 2 kB, kept calls and notes of changes 2 kB, terminations of instances without their tags 1 kB, room by price and writes that failed 1 kB, pods that keep their zone or are reached later 1 kB, waits with a limit and units of launches 2 kB, decisions that a later run finishes and publishes 1 kB, the kinds of actions that this version has 0.4 kB, evictions that hang and prices of preferences 1 kB, virtual pods after real ones 1 kB, open decisions that are not read 0.2 kB, the count of a NodePool's requirements 0.5 kB, steps that a run of disruption shares 1 kB, budgets that can never allow evictions 2 kB, required terms without preferences 1 kB, claims for one pod at a time 1 kB, volumes without a provisioner 1 kB, affinity terms together 1 kB, topology keys of other constraints 0.5 kB. */
const BUDGETS: Readonly<Record<string, number>> = {
  webhook: 400 * KB,
  'webhook-secret': 60 * KB,
  provisioning: 1_974 * KB,
  lifecycle: 1_925 * KB,
  disruption: 2_039 * KB,
  termination: 1_920 * KB,
  catalogue: 1_920 * KB,
  interruption: 1_200 * KB,
  installer: 620 * KB,
  widgets: 1_200 * KB,
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
