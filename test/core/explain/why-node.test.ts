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
    'NotManaged',
    /^it has no NodeClaim of Kerf/,
    [],
  ],
  [
    'is not requested yet',
    aSnapshot({ nodeClaims: [aClaim({ launch: { kind: 'planned' } })] }),
    'Launching',
    /^its instance is not requested yet$/,
    [],
  ],
  [
    'is refused by EC2',
    aSnapshot({ nodeClaims: [aClaim({ launch: { kind: 'refused', message: 'no capacity', ...ATTEMPT } })] }),
    'Launching',
    /^EC2 refused attempt 2 to launch it 30s ago$/,
    ['LaunchFailed'],
  ],
  [
    'has not joined',
    aSnapshot({ nodeClaims: [launchedClaim()] }),
    'Starting',
    /^its instance was launched \S+ ago, and no node has joined$/,
    [],
  ],
  [
    'is in a command that is validated',
    snapshotOf([NODE], { commands: [aCommand({ candidates: candidatesNamed('node-1') })] }),
    'BeingReplaced',
    /for 1 node was decided .* ago; the command is validated before anything changes$/,
    [],
  ],
  [
    'waits for its replacement',
    snapshotOf([NODE], { commands: [aReplacingCommand({ candidates: candidatesNamed('node-1') })] }),
    'BeingReplaced',
    /it is removed when \d+ replacements? (is|are) initialized$/,
    [],
  ],
  [
    'is empty',
    snapshotOf([NODE], { nodePools: POOLS }),
    'WouldBeRemoved',
    /^command 1 of the plan \(emptiness\) deletes 1 node without a new node, which saves \$0\.\d+\/h$/,
    [],
  ],
  [
    'has a pod that must not be evicted',
    snapshotOf([NODE], {
      nodePools: POOLS,
      pods: [runningPod('node-1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
    }),
    'Stays',
    /^it stays, for 1 reason$/,
    ['DoNotDisrupt'],
  ],
  [
    'is drained',
    removed({}),
    'BeingRemoved',
    /^it is being removed \(drifted: AMIDrift\), for 1m; no pods are left to evict$/,
    [],
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
    'BeingRemoved',
    /for 1m; 1 pod must leave first, and the deadline is in 1m$/,
    ['PDBNeverMet'],
  ],
  ['is terminated', removed({ terminateRequestedAtMs: NOW_MS }), 'BeingRemoved', /; EC2 terminates its instance$/, []],
  [
    'cannot be terminated',
    removed({ terminationRefused: { message: 'denied', sinceMs: NOW_MS, retryAtMs: NOW_MS } }),
    'BeingRemoved',
    /; its instance cannot be terminated$/,
    ['TerminationRefused'],
  ],
] as const)('a node that %s', (_, snapshot, state, summary, reasons) => {
  const told = why(snapshot);
  expect({ state: told.state, reasons: told.reasons }).toEqual({ state, reasons });
  expect(told.summary).toMatch(summary);
});
