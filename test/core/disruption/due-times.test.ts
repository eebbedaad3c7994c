import { expect, test } from 'vitest';
import { BUDGET_TIME_ZONE } from '../../../lib/apis/labels.ts';
import { disrupt } from '../../../lib/core/disruption/disrupt.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { requeueAt } from '../../../lib/core/model/decision.ts';
import { aReplacingCommand, candidatesNamed } from '../../builders/decisions.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { HOUR, MINUTE, NOW_MS } from '../../builders/times.ts';

/** The budget is closed until 20 minutes after the snapshot. */
function pools(over: { readonly replicas?: number } = {}) {
  const opens = new Date(NOW_MS + 20 * MINUTE - HOUR);
  const schedule = `${opens.getUTCMinutes()} ${opens.getUTCHours()} * * *`;
  const budgets = [{ nodes: '0', schedule, duration: '1h' }];
  const view = aPoolView({ disruption: { consolidateAfter: '0s', budgets } });
  return [{ ...view, nodePool: { ...view.nodePool, spec: { ...view.nodePool.spec, ...over } } }];
}

const DRIFT = { reason: 'NodePoolDrifted', message: '', sinceMs: NOW_MS - HOUR } as const;

function dueOf(snapshot: ClusterSnapshot): readonly unknown[] {
  const options = { spotToSpotConsolidation: true, staticCapacity: true };
  return disrupt({ ...snapshot, options }, { decisionId: 'decision-1', nowMs: NOW_MS }).due;
}

const SMALL = { name: 'web', requests: { cpu: '100m', memory: '100Mi' } };

test.each<[string, ClusterSnapshot]>([
  ['an empty node', snapshotOf([initializedNode({ name: 'a' })], { nodePools: pools() })],
  [
    'a node that could be deleted',
    snapshotOf([initializedNode({ name: 'a' }), initializedNode({ name: 'b' })], {
      nodePools: pools(),
      pods: [runningPod('a', SMALL), runningPod('b', { ...SMALL, name: 'api' })],
    }),
  ],
  [
    'a drifted node',
    snapshotOf([initializedNode({ name: 'a' }, { drift: DRIFT })], { nodePools: pools(), pods: [runningPod('a')] }),
  ],
  [
    'a drifted node of a static NodePool',
    snapshotOf([initializedNode({ name: 'a' }, { drift: DRIFT })], { nodePools: pools({ replicas: 1 }) }),
  ],
  [
    'a node whose replacement is initialized',
    snapshotOf([initializedNode({ name: 'a' }), initializedNode({ name: 'new' })], {
      nodePools: pools(),
      pods: [runningPod('a')],
      commands: [aReplacingCommand({ candidates: candidatesNamed('a'), replacementClaims: ['claim-new'] })],
    }),
  ],
])('E8: %s that its budget keeps is evaluated again when the budget opens', (_, snapshot) => {
  expect(dueOf(snapshot)).toContainEqual(requeueAt(NOW_MS + 20 * MINUTE));
});

test('E8: an invalid time zone has no such time', () => {
  const [view] = pools();
  if (view === undefined) throw new Error('no pool');
  const { nodePool } = view;
  const annotations = { [BUDGET_TIME_ZONE]: 'Mars' };
  const invalid = { ...view, nodePool: { ...nodePool, metadata: { ...nodePool.metadata, annotations } } };
  const due = dueOf(snapshotOf([initializedNode({ name: 'a' })], { nodePools: [invalid] }));
  expect(due).not.toContainEqual(requeueAt(NOW_MS + 20 * MINUTE));
});
