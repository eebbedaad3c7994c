import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { stateNodes } from '../../../lib/core/cluster/state-node.ts';
import { evictionCost, isEmptyNode, rescheduleCost } from '../../../lib/core/disruption/cost.ts';
import { type PodOptions, runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

const costing = (cost: string): PodOptions => ({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } });
const priority = (value: number): PodOptions => ({ spec: { nodeName: 'node-1', priority: value } });

const nodeWith = (...pods: readonly Pod[]) => stateNodes(snapshotOf([initializedNode()], { pods }))[0];

describe('what it costs to evict a pod (E14)', () => {
  test.each<[string, PodOptions, number]>([
    ['an ordinary one', {}, 1],
    ['a deletion cost weighs a 2^27th', costing(String(2 ** 27)), 2],
    ['a priority weighs a 2^25th', priority(2 ** 25), 2],
    ['the highest are 10', priority(2_000_000_000), 10],
    ['the lowest are −10', costing(String(-(2 ** 31))), -10],
    ['a cost that is not a number counts as zero', costing('much'), 1],
  ])('%s', (_, over, cost) => {
    expect(evictionCost(runningPod('node-1', over))).toBe(cost);
  });
});

describe('a node is empty where nothing on it would be missed (E11, E15)', () => {
  test.each<[string, readonly Pod[], boolean]>([
    ['no pods', [], true],
    ['a pod', [runningPod('node-1')], false],
    ['a daemon', [runningPod('node-1', { owner: 'DaemonSet' })], true],
    ['a static pod', [runningPod('node-1', { owner: 'Node' })], true],
    ['a pod that has ended', [runningPod('node-1', { status: { phase: 'Succeeded' } })], true],
    ['a pod that is ending', [runningPod('node-1', { deletionMs: NOW_MS })], true],
    [
      'a pod of a StatefulSet that is ending',
      [runningPod('node-1', { deletionMs: NOW_MS, owner: 'StatefulSet' })],
      false,
    ],
    ['a pod that is worth nothing', [runningPod('node-1', costing(String(-(2 ** 28))))], true],
  ])('%s', (_, pods, empty) => {
    const node = nodeWith(...pods);
    expect(node && isEmptyNode(node)).toBe(empty);
  });

  test('a pod that is worth nothing does not make up for the others', () => {
    const node = nodeWith(
      runningPod('node-1', { name: 'a', ...costing(String(-(2 ** 31))) }),
      runningPod('node-1', { name: 'b' }),
    );
    expect(node && rescheduleCost(node)).toBe(2);
  });
});
