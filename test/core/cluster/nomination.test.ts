import { expect, test } from 'vitest';
import { promisedNodes, RENOMINATED_BEFORE_MS } from '../../../lib/core/cluster/nomination.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { aPod } from '../../builders/pods.ts';
import { MINUTE } from '../../builders/times.ts';

const PROMISES = [{ node: 'node-1' }, { node: 'node-2' }];
const STAY = new Set<string>();

test('B5: a nominated node is kept while a pod is pending', () => {
  const pods = [aPod({ spec: { nodeName: 'node-1' } }), aPod()];
  expect([...promisedNodes(PROMISES, pods, STAY)]).toEqual(['node-1', 'node-2']);
});

test.each([
  { what: 'bound', pod: aPod({ spec: { nodeName: 'node-1' } }) },
  { what: 'over', pod: aPod({ status: { phase: 'Succeeded' } }) },
])('B5: where every pod is $what, no node is promised any more', ({ pod }) => {
  expect([...promisedNodes(PROMISES, [pod], STAY)]).toEqual([]);
});

test('B7: a nominated node is kept for pods that a PodDisruptionBudget keeps on a draining node', () => {
  const pod = aPod({ spec: { nodeName: 'node-3' } });
  expect([...promisedNodes(PROMISES, [pod], new Set(['node-3']))]).toEqual(['node-1', 'node-2']);
});

test('B5: a nomination that a run does not renew lasts until the run of the next tick, also if that is late and collects wakes', () => {
  const late = 10_000;
  expect(RENOMINATED_BEFORE_MS).toBeGreaterThan(MINUTE + late + DEFAULT_SETTINGS.batchMaxMs);
});
