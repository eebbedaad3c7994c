import { describe, expect, test } from 'vitest';
import type { Labels, Pod } from '../../../lib/apis/kubernetes.ts';
import { disrupt } from '../../../lib/core/disruption/disrupt.ts';
import { interrupt } from '../../../lib/core/interruption/interrupt.ts';
import type { Action } from '../../../lib/core/model/decision.ts';
import type { DeletionReason, NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { decideHealth } from '../../../lib/core/node-claim/instance-health.ts';
import { decideRepairs } from '../../../lib/core/node-claim/repair/repair.ts';
import { repairPolicies } from '../../../lib/core/node-claim/repair/repair-policies.ts';
import { decideTermination } from '../../../lib/core/node-claim/termination.ts';
import { decide, terminationView, viewOf } from '../../builders/claim-view.ts';
import { claimSpec, launchedClaim } from '../../builders/node-claims.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { aNode, type NodeOptions } from '../../builders/nodes.ts';
import { runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

/** Which objects have the annotation. */
interface Annotated {
  readonly pod: boolean;
  readonly node: boolean;
}

const COMBINATIONS: readonly Annotated[] = [
  { pod: false, node: false },
  { pod: true, node: false },
  { pod: false, node: true },
  { pod: true, node: true },
];

function annotations(isSet: boolean): { readonly annotations?: Labels } {
  return isSet ? { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } : {};
}

/** An initialized node with one pod of a DaemonSet, which leaves it empty for voluntary disruption. */
function clusterWith(
  annotated: Annotated,
  { node = {}, claim = {} }: { readonly node?: NodeOptions; readonly claim?: Partial<NodeClaimRecord> } = {},
) {
  const member = initializedNode({ name: 'a', ...node, ...annotations(annotated.node) }, claim);
  const pod = runningPod('a', { name: 'agent', owner: 'DaemonSet', ...annotations(annotated.pod) });
  return { ...member, pod };
}

function reasonOf(actions: readonly Action[]): readonly DeletionReason[] {
  return actions.flatMap((action) => (action.kind === 'delete-node-claim' ? [action.reason] : []));
}

function ofLifecycle(record: NodeClaimRecord, seen: Parameters<typeof viewOf>[1]): readonly DeletionReason[] {
  return reasonOf(decide(viewOf(record, seen), NOW_MS).actions);
}

describe('D28: do-not-disrupt blocks voluntary disruption, on a pod and on the node', () => {
  test.each(COMBINATIONS)('%j', (annotated) => {
    const { pod, ...member } = clusterWith(annotated);
    const nodePools = [aPoolView({ disruption: { budgets: [{ nodes: '100%' }] } })];
    const snapshot = snapshotOf([member], { nodePools, pods: [pod] });
    const { actions, blocked } = disrupt(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS });
    const isBlocked = annotated.pod || annotated.node;
    expect(actions.map(({ kind }) => kind)).toEqual(isBlocked ? [] : ['start-disruption']);
    expect(blocked.map(({ reason }) => reason)).toEqual(isBlocked ? ['DoNotDisrupt'] : []);
  });
});

describe('D28: do-not-disrupt does not block the begin of', () => {
  describe.each(COMBINATIONS)('with %j:', (annotated) => {
    test('expiration', () => {
      const claim = { createdAtMs: NOW_MS - 2 * HOUR, spec: claimSpec({ expireAfter: '1h' }) };
      const { nodeClaim, node } = clusterWith(annotated, { claim });
      expect(ofLifecycle(nodeClaim, { node })).toEqual(['expired']);
    });

    test('an interruption', () => {
      const { nodeClaim } = clusterWith(annotated);
      const warning = { kind: 'spot-interruption', atMs: NOW_MS, instanceIds: ['i-a'] } as const;
      expect(reasonOf(interrupt(warning, nodeClaim, NOW_MS).actions)).toEqual(['spot_interrupted']);
    });

    test('the deletion of the NodeClaim by hand', () => {
      const { nodeClaim, node } = clusterWith(annotated);
      expect(ofLifecycle(nodeClaim, { node, deletionTimestamp: '2026-01-31T08:00:00Z' })).toEqual(['deleted']);
    });

    test('the deletion of the Node by hand', () => {
      const deleted = { deletionTimestamp: '2026-01-31T08:00:00Z' };
      const { nodeClaim, node } = clusterWith(annotated, { node: deleted });
      expect(ofLifecycle(nodeClaim, { node })).toEqual(['deleted']);
    });

    test('the replacement of an impaired instance', () => {
      const { nodeClaim } = clusterWith(annotated);
      const health = { id: 'i-a', systemImpairedSinceMs: NOW_MS - 2 * MINUTE, events: [] };
      const action = decideHealth(nodeClaim, health, NOW_MS);
      expect(reasonOf(action === undefined ? [] : [action])).toEqual(['unhealthy']);
    });

    test('node repair', () => {
      const { nodeClaim, node } = clusterWith(annotated);
      const broken = { type: 'KernelReady', status: 'False', lastTransitionTime: '2026-01-31T07:00:00Z' } as const;
      const nodes = [
        { ...node, status: { ...node.status, conditions: [broken, { type: 'Ready', status: 'True' } as const] } },
      ];
      const view = { records: [nodeClaim], nodes, policies: repairPolicies(), shifted: new Set<string>() };
      expect(reasonOf(decideRepairs(view, NOW_MS).flatMap(({ actions }) => actions))).toEqual(['unhealthy']);
    });
  });
});

describe('D28: do-not-disrupt on a pod, not on the node, blocks its eviction until the deadline', () => {
  const REASONS: readonly DeletionReason[] = ['empty', 'expired', 'spot_interrupted', 'unhealthy', 'deleted'];
  const cases = REASONS.flatMap((reason) => COMBINATIONS.map((annotated) => ({ reason, ...annotated })));

  /** What a drain does with the pod, if the deadline is `leftMs` away. */
  function drained({ reason, ...annotated }: (typeof cases)[number], leftMs?: number): string {
    const { node, pod, nodeClaim } = clusterWith(annotated);
    const deadline = leftMs === undefined ? {} : { deadlineMs: NOW_MS + leftMs };
    const record = { ...nodeClaim, deletion: { reason, message: '', requestedAtMs: NOW_MS, ...deadline } };
    const web: Pod = { ...pod, metadata: { ...pod.metadata, ownerReferences: [] } };
    const { actions, blocked } = decideTermination(
      terminationView({ record, node, pods: [web], instanceState: 'alive' }),
      NOW_MS,
    );
    const evicted = actions.flatMap((one) =>
      one.kind === 'evict-pod' ? [one.force === undefined ? 'evicted' : 'deleted'] : [],
    );
    return [...evicted, ...blocked.map((one) => one.reason)].join(', ');
  }

  test.each(cases)('$reason, pod: $pod, node: $node', (one) => {
    const held = one.pod ? 'DoNotDisrupt' : 'evicted';
    expect(drained(one)).toBe(held);
    expect(drained(one, HOUR)).toBe(held);
    expect(drained(one, 30 * SECOND)).toBe('deleted');
  });

  test('the node of an unregistered claim has no drain to block (D27)', () => {
    const { pod } = clusterWith({ pod: true, node: true });
    const record = launchedClaim({ deletion: { reason: 'deleted', message: '', requestedAtMs: NOW_MS } });
    const { actions } = decideTermination(
      terminationView({ record, node: aNode(annotations(true)), pods: [pod], instanceState: 'alive' }),
      NOW_MS,
    );
    expect(actions.map(({ kind }) => kind)).toEqual(['terminate-instance']);
  });
});
