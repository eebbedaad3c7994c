import { expect, test } from 'vitest';
import { gaugesOf } from '../../../lib/core/cluster/gauges.ts';
import { aDecision } from '../../builders/decisions.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { aPod, pendingPod } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

const SNAPSHOT = aSnapshot({
  nodes: [aNode()],
  nodeClaims: [launchedClaim()],
  pods: [pendingPod(), aPod({ name: 'b' })],
});

test('the gauges count nodes and pods that need one, with the age of the oldest pod, and sum the prices of instances', () => {
  expect(gaugesOf(SNAPSHOT, [aDecision()], NOW_MS + 90 * SECOND)).toEqual({
    PendingPods: 1,
    OldestPendingSeconds: 90,
    Nodes: 1,
    HourlyCostUsd: expect.any(Number),
  });
});

test('a decision that creates nodes for pods has the gap between its price and the lower bound', () => {
  const priced = aDecision({ price: { usdPerHour: 1.1, lowerBoundUsdPerHour: 1, gapPercent: 10 } });
  expect(gaugesOf(SNAPSHOT, [priced], NOW_MS)).toMatchObject({ PriceGapPercent: 10 });
  const free = aDecision({ price: { usdPerHour: 1.1, lowerBoundUsdPerHour: 0, gapPercent: 0 } });
  expect(gaugesOf(SNAPSHOT, [free], NOW_MS)).toMatchObject({ PriceGapPercent: 0 });
});

test('a decision without a lower bound has no gap', () => {
  const unbounded = aDecision({ price: { usdPerHour: 1.1 } });
  expect(gaugesOf(SNAPSHOT, [unbounded], NOW_MS)).not.toHaveProperty('PriceGapPercent');
});

test('a pod that the scheduler refused at a time that cannot be read counts since its creation', () => {
  const refused = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' } as const;
  const status = { conditions: [{ ...refused, lastTransitionTime: '10000-01-01T13:59:59Z' }] };
  const pods = [pendingPod({ status })];
  expect(gaugesOf({ ...SNAPSHOT, pods }, [], NOW_MS + 90 * SECOND)).toMatchObject({ OldestPendingSeconds: 90 });
});
