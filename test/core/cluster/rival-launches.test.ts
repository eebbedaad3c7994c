import { expect, test } from 'vitest';
import { withoutRivalLaunches } from '../../../lib/core/cluster/rival-launches.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { pendingPod } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

const POD = pendingPod({ createdAtMs: NOW_MS });
const claim = (name: string, createdAtMs: number, over = {}) => launchedClaim({ name, createdAtMs, ...over });
const OLDER = claim('older', NOW_MS - SECOND);
const YOUNGER = claim('younger', NOW_MS + SECOND);
const READY = claim('ready', NOW_MS + SECOND, { initializedAtMs: NOW_MS + SECOND });

test('a NodeClaim that is younger than a pending pod and has no initialized node is left out', () => {
  const snapshot = aSnapshot({ pods: [POD], nodeClaims: [OLDER, YOUNGER, READY] });
  expect(withoutRivalLaunches(snapshot).nodeClaims.map(({ name }) => name)).toEqual(['older', 'ready']);
});

test('its node is left out too, although it has joined', () => {
  const joined = { ...YOUNGER, nodeName: 'node-1' };
  const nodes = ['node-1', 'node-2'].map((name) => ({ metadata: { name } }));
  const { nodes: left } = withoutRivalLaunches(aSnapshot({ pods: [POD], nodeClaims: [joined], nodes }));
  expect(left.map(({ metadata }) => metadata.name)).toEqual(['node-2']);
});

test('without pending pods, and of a NodePool with a fixed number of nodes, every NodeClaim counts', () => {
  const idle = aSnapshot({ nodeClaims: [YOUNGER] });
  expect(withoutRivalLaunches(idle)).toBe(idle);
  const fixed = aSnapshot({ pods: [POD], nodeClaims: [YOUNGER], nodePools: [aPoolView({ replicas: 1 })] });
  expect(withoutRivalLaunches(fixed)).toBe(fixed);
});
