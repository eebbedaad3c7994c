import { expect, test } from 'vitest';
import { stateNodes } from '../../../lib/core/cluster/state-node.ts';
import { ALL_METHODS } from '../../../lib/core/disruption/methods/all-methods.ts';
import { planDisruption } from '../../../lib/core/disruption/plan-disruption.ts';
import { whyNode } from '../../../lib/core/explain/why-node.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { aCommand, aReplacingCommand, candidatesNamed } from '../../builders/decisions.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { aBudget, aNode } from '../../builders/nodes.ts';
import { runningPod } from '../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

function why(snapshot: ClusterSnapshot, at = 0) {
  const stateNode = stateNodes(snapshot)[at];
  if (stateNode === undefined) throw new Error('the snapshot has too few nodes');
  const plan = planDisruption(ALL_METHODS, snapshot, NOW_MS);
  const { state, summary, reasons } = whyNode(stateNode, { snapshot, plan, nowMs: NOW_MS });
  return { state, summary, reasons: reasons.map(({ reason }) => reason) };
}

const ATTEMPT = { attempt: 2, atMs: NOW_MS - 30 * SECOND } as const;
const POOLS = [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } })];
const NODE = initializedNode({ name: 'node-1' });
const DELETION = { reason: 'drifted', message: 'AMIDrift', requestedAtMs: NOW_MS - MINUTE } as const;

function removed(deletion: object, over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return snapshotOf([initializedNode({ name: 'node-1' }, { deletion: { ...DELETION, ...deletion } })], over);
}

test.each([
  [
    'has no NodeClaim',
    aSnapshot({ nodes: [aNode({ name: 'node-1' })] }),
    { state: 'NotManaged', summary: /^it has no NodeClaim of Kerf/, reasons: [] },
  ],
  [
    'is not requested yet',
    aSnapshot({ nodeClaims: [aClaim({ launch: { kind: 'planned' } })] }),
    { state: 'Launching', summary: /^its instance is not requested yet$/, reasons: [] },
  ],
  [
    'is refused by EC2',
    aSnapshot({ nodeClaims: [aClaim({ launch: { kind: 'refused', message: 'no capacity', ...ATTEMPT } })] }),
    { state: 'Launching', summary: /^EC2 refused attempt 2 to launch it 30s ago$/, reasons: ['LaunchFailed'] },
  ],
  [
    'has not joined',
    aSnapshot({ nodeClaims: [launchedClaim()] }),
    { state: 'Starting', summary: /^its instance was launched \S+ ago, and no node has joined$/, reasons: [] },
  ],
  [
    'is beyond the replicas of its NodePool',
    snapshotOf([NODE], { nodePools: [aPoolView({ replicas: 0 })], options: { staticCapacity: true } }),
    {
      state: 'WouldBeRemoved',
      summary: /^it is deleted without regard to budgets: NodePool general has 1 node, and spec.replicas is 0$/,
      reasons: [],
    },
  ],
  [
    'is in a command that is validated',
    snapshotOf([NODE], { commands: [aCommand({ candidates: candidatesNamed('node-1') })] }),
    {
      state: 'BeingReplaced',
      summary: /for 1 node was decided .* ago; the command is validated before anything changes$/,
      reasons: [],
    },
  ],
  [
    'waits for its replacement',
    snapshotOf([NODE], { commands: [aReplacingCommand({ candidates: candidatesNamed('node-1') })] }),
    { state: 'BeingReplaced', summary: /it is removed when \d+ replacements? (is|are) initialized$/, reasons: [] },
  ],
  [
    'is empty',
    snapshotOf([NODE], { nodePools: POOLS }),
    {
      state: 'WouldBeRemoved',
      summary: /^command 1 of the plan \(emptiness\) deletes 1 node without a new node, which saves \$0\.\d+\/h$/,
      reasons: [],
    },
  ],
  [
    'has a pod that must not be evicted',
    snapshotOf([NODE], {
      nodePools: POOLS,
      pods: [runningPod('node-1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
    }),
    { state: 'Stays', summary: /^it stays, for 1 reason$/, reasons: ['DoNotDisrupt'] },
  ],
  [
    'is drained',
    removed({}),
    {
      state: 'BeingRemoved',
      summary: /^it is being removed \(drifted: AMIDrift\), for 1m; no pods are left to evict$/,
      reasons: [],
    },
  ],
  [
    'waits for pods that can never be evicted',
    removed(
      { deadlineMs: NOW_MS + MINUTE },
      {
        pods: [runningPod('node-1', { labels: { app: 'web' } })],
        podDisruptionBudgets: [aBudget({ spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 } })],
      },
    ),
    {
      state: 'BeingRemoved',
      summary: /for 1m; 1 pod must leave first, and the deadline is in 1m$/,
      reasons: ['PDBNeverMet'],
    },
  ],
  [
    'is terminated',
    removed({ terminateRequestedAtMs: NOW_MS }),
    { state: 'BeingRemoved', summary: /; EC2 terminates its instance$/, reasons: [] },
  ],
  [
    'cannot be terminated',
    removed({ terminationRefused: { message: 'denied', sinceMs: NOW_MS, retryAtMs: NOW_MS } }),
    { state: 'BeingRemoved', summary: /; its instance cannot be terminated$/, reasons: ['TerminationRefused'] },
  ],
  [
    'cannot be released, although its instance has ended',
    removed({ terminateRequestedAtMs: NOW_MS, releaseFailed: { message: '403', sinceMs: NOW_MS - 30 * SECOND } }),
    {
      state: 'BeingRemoved',
      summary: /; its instance has ended, but its Node or NodeClaim cannot be released for 30s$/,
      reasons: ['ActionRefused'],
    },
  ],
] as const)('a node that %s', (_, snapshot, { state, summary, reasons }) => {
  const told = why(snapshot);
  expect({ state: told.state, reasons: told.reasons }).toEqual({ state, reasons });
  expect(told.summary).toMatch(summary);
});

test('the refusal that keeps a Node is named with its message, before that of an earlier termination', () => {
  const terminationRefused = { message: 'denied', sinceMs: NOW_MS, retryAtMs: NOW_MS };
  const snapshot = removed({
    terminationRefused,
    releaseFailed: { message: 'webhook deny.example: no', sinceMs: NOW_MS },
  });
  const plan = planDisruption(ALL_METHODS, snapshot, NOW_MS);
  const told = stateNodes(snapshot).map((node) => whyNode(node, { snapshot, plan, nowMs: NOW_MS }));
  expect(told.flatMap(({ reasons }) => reasons)).toEqual([
    { reason: 'ActionRefused', message: 'webhook deny.example: no', numbers: {} },
  ]);
});
