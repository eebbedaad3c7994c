/**
 * Drains on a real API server, with the real budgets and controllers of Kubernetes. All nodes are drained at the same time, so
 * that a drain that cannot end shows whether it holds others.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { conditionOf, endOf, isGone } from '../../rig/claimed-nodes.ts';
import type { FakeKubelets } from '../../rig/fake-kubelets.ts';
import { type Island, removeBudgets } from '../../rig/islands.ts';
import type { KerfInProcess } from '../../rig/kerf-in-process.ts';
import { at, listAt } from '../../stack/json.ts';
import { read, succeed } from '../support/api-client.ts';
import { claimPath, createIslands, startDrainRig } from './drain-rig.ts';

const DRAINED = { timeout: 60_000, interval: 250 };
const AT_ONCE = { timeout: 10_000, interval: 250 };

/** Three pods; the budgets, and the smallest number of Ready pods that they allow. */
const KEPT: readonly (readonly [Island, number])[] = [
  [{ name: 'min-number', budgets: [{ minAvailable: 2 }] }, 2],
  [{ name: 'min-percentage', budgets: [{ minAvailable: '50%' }] }, 2],
  [{ name: 'max-number', budgets: [{ maxUnavailable: 1 }] }, 2],
  [{ name: 'max-percentage', budgets: [{ maxUnavailable: '50%' }] }, 1],
  [{ name: 'empty-selector', namespace: 'alone', budgets: [{ selector: {}, maxUnavailable: 1 }] }, 2],
  [{ name: 'without-budget' }, 0],
  [{ name: 'bare-pods', controller: 'none', budgets: [{ minAvailable: 0 }] }, 0],
];

/** The reason, and the words of the message that name the budget. */
const NEVER: readonly (readonly [Island, string, string])[] = [
  [{ name: 'max-zero', budgets: [{ maxUnavailable: 0 }] }, 'PDBNeverMet', 'max-zero-0 (maxUnavailable: 0)'],
  [{ name: 'max-zero-percent', budgets: [{ maxUnavailable: '0%' }] }, 'PDBNeverMet', '(maxUnavailable: 0%)'],
  [{ name: 'min-all', budgets: [{ minAvailable: 3 }] }, 'PDBNeverMet', 'min-all-0 (minAvailable: 3)'],
  [{ name: 'min-all-percent', budgets: [{ minAvailable: '100%' }] }, 'PDBNeverMet', '(minAvailable: 100%)'],
  [
    { name: 'two-budgets', budgets: [{ maxUnavailable: 1 }, { minAvailable: 1 }] },
    'MultiplePDBs',
    'default/two-budgets-0 and default/two-budgets-1',
  ],
  [
    { name: 'no-controller', controller: 'none', budgets: [{ maxUnavailable: 1 }] },
    'PDBCountsNoPods',
    'default/no-controller-0 (maxUnavailable: 1)',
  ],
];

const UNHEALTHY: Island = {
  name: 'unhealthy',
  budgets: [{ minAvailable: 2, unhealthyPodEvictionPolicy: 'IfHealthyBudget' }],
};
const ALWAYS: Island = {
  name: 'always-allow',
  budgets: [{ minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' }],
};
const ISLANDS = [...KEPT.map(([island]) => island), ...NEVER.map(([island]) => island), UNHEALTHY, ALWAYS];

let kerf: KerfInProcess;
let kubelets: FakeKubelets;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ kerf, kubelets, stop } = await startDrainRig());
  await succeed({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'alone' } } });
  kubelets.unready.add('unhealthy').add('always-allow');
  await createIslands(kerf, ISLANDS);
  kubelets.count();
  for (const { name } of ISLANDS) await succeed({ method: 'DELETE', path: claimPath(name) });
  await kerf.wake();
}, 180_000);
afterAll(async () => await stop());

const gone = async (name: string): Promise<void> =>
  await vi.waitFor(async () => expect(await isGone(kerf, name)).toBe(true), DRAINED);

test.each(NEVER)('D23: a budget that can never be met is reported at once, with its pod: $name', async (...row) => {
  const [{ name }, reason, words] = row;
  const drained = await vi.waitFor(async () => {
    const condition = await conditionOf(name, 'Drained');
    expect(condition).toMatchObject({ status: 'Unknown', reason });
    return condition;
  }, AT_ONCE);
  expect(String(at(drained, 'message'))).toContain(words);
  expect(String(at(drained, 'message'))).toMatch(new RegExp(`^pod default/${name}-`));
});

test('promise 7: drains that cannot end hold no other one', async () => {
  for (const name of ['without-budget', 'bare-pods', 'always-allow']) await gone(name);
  for (const [{ name }] of NEVER) expect(await endOf(kerf, name)).toBeUndefined();
});

test('IfHealthyBudget: pods that are not Ready are kept until the others are Ready, and this is not reported as for ever', async () => {
  expect(await conditionOf('unhealthy', 'Drained')).toMatchObject({ status: 'Unknown', reason: 'Draining' });
  expect(await endOf(kerf, 'unhealthy')).toBeUndefined();
  kubelets.unready.delete('unhealthy');
});

test('D23: a drain continues after its budget is removed', async () => {
  for (const [island] of NEVER) await removeBudgets(island);
  for (const { name } of [...NEVER.map(([island]) => island), UNHEALTHY]) await gone(name);
});

test.each(KEPT)('D23: a drain keeps the budget: $name', async ({ name }, least) => {
  await gone(name);
  expect(kubelets.leastReady(name)).toBeGreaterThanOrEqual(least);
});

test('promise 3: no pod was deleted without the Eviction API, no right is missing, and no run failed', () => {
  const calls = kerf.calls();
  expect(calls.filter(({ call }) => /^DELETE .*\/pods\//.test(call))).toEqual([]);
  expect(calls.filter(({ status }) => status === 401 || status === 403)).toEqual([]);
  expect(kerf.failures.filter((text) => text.startsWith('failure'))).toEqual([]);
  console.log(`${ISLANDS.length} drains: ${calls.length} requests`);
});

test('a budget that can never be met is reported by one Event of the NodeClaim', async () => {
  const events = listAt(await read('/apis/events.k8s.io/v1/events'), 'items');
  for (const [{ name }, reason] of NEVER) {
    const mine = events.filter((one) => at(one, 'regarding', 'name') === name && at(one, 'reason') === reason);
    expect(mine, `Events ${reason} of NodeClaim ${name}`).toHaveLength(1);
  }
});
