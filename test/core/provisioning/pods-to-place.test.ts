import { describe, expect, test } from 'vitest';
import type { Pod, PodDisruptionBudget, PodSpec, TopologySpreadConstraint } from '../../../lib/apis/kubernetes.ts';
import { stateNodes } from '../../../lib/core/cluster/state-node.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { podsToPlace } from '../../../lib/core/provisioning/pods-to-place.ts';
import { schedulePods } from '../../../lib/core/provisioning/schedule-pods.ts';
import { asking } from '../../builders/node-pools.ts';
import { aBudget } from '../../builders/nodes.ts';
import { affinityTerm, aPod, joining, type PodOptions, pendingPod, runningPod, spread } from '../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

function names(snapshot: ClusterSnapshot): { readonly pods: readonly string[]; readonly refused: readonly string[] } {
  const { pods, refused } = podsToPlace(snapshot, stateNodes(snapshot), NOW_MS);
  return {
    pods: pods.map(({ metadata }) => metadata.name),
    refused: refused.map(({ pod, refusal }) => `${pod.metadata.name}: ${refusal.reason}`),
  };
}

const ZONE = 'topology.kubernetes.io/zone';

/** A node that is being deleted, with these pods. */
function leaving(pods: readonly Pod[], over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const deletion = { reason: 'deleted', message: '', requestedAtMs: NOW_MS } as const;
  return snapshotOf([initializedNode({ name: 'node-1', labels: { team: 'a' } }, { deletion })], { pods, ...over });
}

describe('the pods that need a node', () => {
  test('are those that the kube-scheduler marked as unschedulable, and no others (B6)', () => {
    const pods = [pendingPod({ name: 'a' }), aPod({ name: 'b' }), runningPod('node-1', { name: 'c' })];
    expect(names(aSnapshot({ pods }))).toEqual({ pods: ['a'], refused: [] });
  });

  test('are those of a node that is being deleted, except DaemonSet pods and static pods (B7)', () => {
    const pods = (['ReplicaSet', 'DaemonSet', 'Node'] as const).map((owner) =>
      runningPod('node-1', { name: owner, owner }),
    );
    expect(names(leaving(pods)).pods).toEqual(['ReplicaSet']);
  });

  test('are not those that will not be evicted (B7)', () => {
    const kept = { 'karpenter.sh/do-not-disrupt': 'true' };
    const pods = [
      runningPod('node-1', { name: 'kept', annotations: kept }),
      runningPod('node-1', { name: 'budgeted', labels: { app: 'web' } }),
      runningPod('node-1', { name: 'free' }),
    ];
    expect(
      names(
        leaving(pods, {
          podDisruptionBudgets: [aBudget({ spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'web' } } } })],
        }),
      ).pods,
    ).toEqual(['free']);
  });
});

describe('a pod that a PodDisruptionBudget keeps while a pending pod may run only beside it (B7)', () => {
  const labels = { app: 'web' };
  const held = runningPod('node-1', { name: 'held', labels });
  const waiting = { name: 'waiting', labels, spec: { affinity: joining(affinityTerm()) } };
  const podDisruptionBudgets = [aBudget()];

  test('is not to be placed before the pending pod runs', () => {
    const pods = [held, pendingPod(waiting)];
    expect(names(leaving(pods, { podDisruptionBudgets })).pods).toEqual(['waiting']);
  });

  test.each<readonly [string, readonly Pod[], readonly string[]]>([
    ['the pending pod runs', [runningPod('node-2', waiting)], ['held']],
    [
      'another such pod runs on a node that stays',
      [pendingPod(waiting), runningPod('node-2', { ...waiting, name: 'other' })],
      ['waiting', 'held'],
    ],
    [
      'the pending pod may run beside other pods only',
      [
        pendingPod({
          ...waiting,
          spec: { affinity: joining(affinityTerm({ labelSelector: { matchLabels: { app: 'db' } } })) },
        }),
      ],
      ['waiting', 'held'],
    ],
    ['the pending pod has another budget', [pendingPod({ ...waiting, namespace: 'other' })], ['waiting', 'held']],
  ])('is to be placed if %s', (_, others, expected) => {
    expect(names(leaving([held, ...others], { podDisruptionBudgets })).pods).toEqual(expected);
  });

  test.each<readonly [string, Partial<PodDisruptionBudget>]>([
    ['allows a disruption', { status: { disruptionsAllowed: 1 } }],
    ['has other pods', { spec: { selector: { matchLabels: { app: 'db' } } } }],
  ])('is to be placed if the budget %s', (_, over) => {
    const pods = [held, pendingPod(waiting)];
    expect(names(leaving(pods, { podDisruptionBudgets: [aBudget(over)] })).pods).toEqual(['waiting', 'held']);
  });
});

describe('a pod that a PodDisruptionBudget keeps in a domain that is full for a pending pod (B7)', () => {
  const labels = { app: 'web' };
  const held = runningPod('node-1', { name: 'held', labels });
  const other = initializedNode({ name: 'node-2', zone: 'eu-west-3b' }).node;
  const TEAM_A = { nodeSelector: { team: 'a' } };
  const WAITING = { metadata: { name: 'waiting' } };
  const inOther = runningPod('node-2', { name: 'other', labels });
  const waiting = (over: Partial<TopologySpreadConstraint> = {}, spec: Partial<PodSpec> = {}) =>
    pendingPod({ name: 'waiting', labels, spec: { topologySpreadConstraints: [spread(over)], ...spec } });
  const placed = (pods: readonly Pod[], budget: Partial<PodDisruptionBudget> = {}) => {
    const snapshot = leaving([held, ...pods], { podDisruptionBudgets: [aBudget(budget)] });
    return names({ ...snapshot, nodes: [...snapshot.nodes, other] }).pods;
  };

  test.each<readonly [string, readonly Pod[]]>([
    ['the other domain has fewer pods', [waiting()]],
    ['fewer domains than minDomains have a node', [waiting({ minDomains: 3 }), inOther]],
    ['the pending pod may run on some nodes only, but all count', [waiting({ nodeAffinityPolicy: 'Ignore' }, TEAM_A)]],
  ])('is not to be placed while the pending pod has no node: %s', (_, pods) => {
    expect(placed(pods)).toEqual(['waiting']);
  });

  test.each<readonly [string, readonly Pod[]]>([
    ['the other domain has as many pods', [waiting(), inOther]],
    ['the spread allows one more', [waiting({ maxSkew: 2 })]],
    ['the spread is a preference', [waiting({ whenUnsatisfiable: 'ScheduleAnyway' })]],
    ['the spread is over hosts', [waiting({ topologyKey: 'kubernetes.io/hostname' })]],
    ['the spread does not count nodes with a taint', [waiting({ nodeTaintsPolicy: 'Honor' })]],
    ['the spread counts other pods', [waiting({ labelSelector: { matchLabels: { app: 'db' } } })]],
    ['the nodes of the other domain do not count for the pending pod', [waiting({}, TEAM_A)]],
  ])('is to be placed if %s', (_, pods) => {
    expect(placed(pods)).toEqual(['waiting', 'held']);
  });

  test('is to be placed when the pending pod is bound', () => {
    expect(placed([{ ...waiting(), spec: { ...waiting().spec, nodeName: 'node-2' } }])).toEqual(['held']);
  });

  test.each<readonly [string, Partial<PodDisruptionBudget>]>([
    ['allows a disruption', { status: { disruptionsAllowed: 1 } }],
    ['has other pods', { spec: { selector: { matchLabels: { app: 'db' } } } }],
  ])('is to be placed if the budget %s', (_, budget) => {
    expect(placed([waiting()], budget)).toEqual(['waiting', 'held']);
  });

  test.each<readonly [string, string, object]>([
    ['is refused in that domain', 'eu-west-3a', { existing: [], unplaced: [{ pod: WAITING }] }],
    ['is placed in another one', 'eu-west-3b', { existing: [{ pods: [WAITING] }], unplaced: [] }],
  ])('counts for the pending pod, which %s', (_, zone, expected) => {
    const pod = waiting({ nodeAffinityPolicy: 'Ignore' }, { nodeSelector: { [ZONE]: zone } });
    const snapshot = leaving([held, pod], { podDisruptionBudgets: [aBudget()] });
    const plan = schedulePods({ ...snapshot, nodes: [...snapshot.nodes, other] }, NOW_MS);
    expect(plan).toMatchObject({ newClaims: [], ...expected });
  });
});

describe('a pod with required affinity to pods that a budget lets go one after another (B7)', () => {
  const labels = { app: 'web' };
  const affinity = { affinity: joining(affinityTerm()) };
  const web = (name: string, node = 'node-1', spec: Partial<PodSpec> = affinity) =>
    runningPod(node, { name, labels, spec });
  const zones = (pods: readonly Pod[], allowed = 1): readonly (string | undefined)[] => {
    const podDisruptionBudgets = [aBudget({ status: { disruptionsAllowed: allowed } })];
    const snapshot = leaving(pods, { podDisruptionBudgets });
    return podsToPlace(snapshot, stateNodes(snapshot), NOW_MS).pods.map(({ spec }) => spec.nodeSelector?.[ZONE]);
  };

  test('stays in the zone, because the first pod that is evicted is bound only beside the others', () => {
    expect(zones([web('a'), web('b')])).toEqual(['eu-west-3a', 'eu-west-3a']);
  });

  test.each<readonly [string, readonly Pod[], number]>([
    ['all may be evicted together', [web('a'), web('b')], 2],
    ['it is the only one', [web('a')], 0],
    ['another one runs on a node that stays', [web('a'), web('b'), web('c', 'node-2')], 1],
    ['it has no affinity', [web('a', 'node-1', {}), web('b', 'node-1', {})], 1],
  ])('may go to another zone if %s', (_, pods, allowed) => {
    expect(new Set(zones(pods, allowed))).toEqual(new Set([undefined]));
  });
});

describe('pods that were evicted a moment ago (B7)', () => {
  const evicted = runningPod('node-1', { name: 'evicted', deletionMs: NOW_MS - SECOND + 30 * SECOND });
  const next = { name: 'next', createdAtMs: NOW_MS - SECOND };

  test.each<[string, readonly Pod[], readonly string[]]>([
    ['are to be placed, until their ReplicaSet creates others', [], ['evicted']],
    ['are to be placed while the scheduler has not processed those', [aPod(next)], ['evicted']],
    ['are not to be placed beside those', [pendingPod(next)], ['next']],
    ['are not to be placed if those have a node', [runningPod('node-2', next)], []],
    [
      'are to be placed beside older pods of the ReplicaSet',
      [pendingPod({ ...next, createdAtMs: NOW_MS - MINUTE })],
      ['next', 'evicted'],
    ],
  ])('%s', (_, others, expected) => {
    expect(names(leaving([evicted, ...others])).pods).toEqual(expected);
  });

  test.each<[string, PodOptions]>([
    ['longer ago', { deletionMs: NOW_MS - 2 * SECOND + 30 * SECOND }],
    ['of a Job', { owner: 'Job' }],
    ['of a DaemonSet', { owner: 'DaemonSet' }],
  ])('are not to be placed: %s', (_, over) => {
    const pod = runningPod('node-1', { deletionMs: NOW_MS + 30 * SECOND, ...over });
    expect(names(leaving([pod])).pods).toEqual([]);
  });

  test('of other nodes are not to be placed', () => {
    const pod = runningPod('node-2', { deletionMs: NOW_MS + 30 * SECOND });
    expect(names(snapshotOf([initializedNode({ name: 'node-2' })], { pods: [pod] })).pods).toEqual([]);
  });
});

function insisting(...terms: readonly object[]): Partial<PodSpec> {
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  };
}

describe('a pod for which no node can be launched', () => {
  test.each<readonly [string, Partial<PodSpec>, string]>([
    [
      'matches a field of a node (B9)',
      insisting({ matchFields: [asking('metadata.name', 'In', 'node-1')] }),
      'MatchFields',
    ],
    ['has only terms that match no node', insisting({}, { matchExpressions: [] }), 'EmptyTerms'],
    ['selects a node by its hostname (B9)', { nodeSelector: { 'kubernetes.io/hostname': 'node-1' } }, 'InvalidLabel'],
    [
      "requires a label of Karpenter's domain (B9)",
      insisting({ matchExpressions: [asking('karpenter.sh/x', 'Exists')] }),
      'InvalidLabel',
    ],
    ['requires a value that no label has (B9)', { nodeSelector: { team: 'a b' } }, 'InvalidLabel'],
    ['claims devices (B60)', { resourceClaims: [{ name: 'gpu' }] }, 'Unsupported'],
  ])('because it %s, is refused with that reason', (_why, spec, reason) => {
    expect(names(aSnapshot({ pods: [pendingPod({ name: 'a', spec })] }))).toEqual({
      pods: [],
      refused: [`a: ${reason}`],
    });
  });

  test('does not include pods with another term beside the empty one', () => {
    const spec = insisting({}, { matchExpressions: [asking('team', 'In', 'a')] });
    expect(names(aSnapshot({ pods: [pendingPod({ name: 'a', spec })] })).pods).toEqual(['a']);
  });

  test.each<readonly [string, Partial<PodSpec>]>([
    ['a NodePool', { nodeSelector: { 'karpenter.sh/nodepool': 'general' } }],
    ['an EC2NodeClass', { nodeSelector: { 'karpenter.k8s.aws/ec2nodeclass': 'default' } }],
    ['an old name of the zone', { nodeSelector: { 'failure-domain.beta.kubernetes.io/zone': 'eu-west-3a' } }],
  ])('does not include pods that select %s (A6.2)', (_what, spec) => {
    expect(names(aSnapshot({ pods: [pendingPod({ name: 'a', spec })] })).pods).toEqual(['a']);
  });
});
