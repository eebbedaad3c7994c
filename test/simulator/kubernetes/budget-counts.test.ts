import { expect, test } from 'vitest';
import type { PodDisruptionBudget } from '../../../lib/apis/kubernetes.ts';
import { removePod, writePod } from '../../../lib/simulator/kubernetes/state.ts';
import { aPod } from '../../builders/pods.ts';
import { clusterWith } from './cluster-with.ts';

const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } as const;
const budget: PodDisruptionBudget = {
  metadata: { name: 'web', namespace: 'default' },
  spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
};

function web(name: string, over: object = {}, ownerUid = 'uid-owner'): ReturnType<typeof aPod> {
  const pod = aPod({ name, ownerUid });
  return { ...pod, ...over, metadata: { ...pod.metadata, labels: { app: 'web' } } };
}

test('a budget counts its pods and those that are active and ready, before and after its first question', () => {
  const counted = (): object => {
    const { selected, healthy, controllers } = state.budgetCounts(budget);
    return { selected, healthy, controllers: [...controllers].map(([uid, { count }]) => `${uid} ${count}`).toSorted() };
  };
  const state = clusterWith({ nodes: [], pods: [web('a', { status: READY }), web('b'), aPod({ name: 'other' })] });
  expect(counted()).toEqual({ selected: 2, healthy: 1, controllers: ['uid-owner 2'] });
  writePod(state, web('b', { status: READY }));
  writePod(state, web('c', {}, 'uid-db'));
  expect(counted()).toEqual({ selected: 3, healthy: 2, controllers: ['uid-db 1', 'uid-owner 2'] });
  const a = web('a', { status: READY });
  writePod(state, { ...a, metadata: { ...a.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  removePod(state, web('c'));
  expect(counted()).toEqual({ selected: 2, healthy: 1, controllers: ['uid-owner 2'] });
});
