import { describe, expect, test } from 'vitest';
import type { NodeSelectorTerm, Pod } from '../../../lib/apis/kubernetes.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { aPoolView, asking } from '../../builders/node-pools.ts';
import { aDaemonSet } from '../../builders/nodes.ts';
import { aPod, pendingPod } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

function blockedFor(pods: readonly Pod[], over: Partial<ClusterSnapshot> = {}) {
  return provision(aSnapshot({ pods, ...over }), { decisionId: 'decision-1', nowMs: NOW_MS }).blocked;
}

const nodePools = [aPoolView({ name: 'a' }), aPoolView({ name: 'b' })];
const tooLarge = pendingPod({ name: 'large', requests: { cpu: '999' } });
const matchFields = [asking('metadata.name', 'In', 'node-1')];
const askingAmiss = pendingPod({
  name: 'amiss',
  spec: {
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
    },
  },
});

const matchExpressions: NonNullable<NodeSelectorTerm['matchExpressions']> = JSON.parse(
  '[{ "key": "team", "operator": "Resembles", "values": ["web"] }]',
);
const preferring = {
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions } }],
};
const requiring = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } };

function withTerms(count: number): Pod {
  const nodeSelectorTerms = Array.from({ length: count }, (_, at) => ({
    matchExpressions: [asking('kubernetes.io/arch', 'NotIn', `a${at}`)],
  }));
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return pendingPod({ name: `terms-${count}`, spec: { affinity: { nodeAffinity } } });
}

describe('a pod for which no node can be launched', () => {
  test('has one refusal without a NodePool; an unschedulable pod has one for each NodePool, so they can be counted separately (B10)', () => {
    const blocked = blockedFor([askingAmiss, tooLarge], { nodePools });
    const ignored = blocked.filter((one) => one.nodePool === undefined);
    const unschedulable = blocked.filter((one) => one.nodePool !== undefined);
    expect(ignored).toMatchObject([
      { subject: { kind: 'Pod', namespace: 'default', name: 'amiss' }, reason: 'MatchFields' },
    ]);
    expect(unschedulable).toMatchObject([
      { subject: { kind: 'Pod', namespace: 'default', name: 'large' }, nodePool: 'b', reason: 'InsufficientResources' },
      { subject: { kind: 'Pod', namespace: 'default', name: 'large' }, nodePool: 'a', reason: 'InsufficientResources' },
    ]);
  });

  test('does not affect other pods (B10)', () => {
    const limited = [aPoolView({ limits: { nodes: '1' } })];
    const { actions } = provision(aSnapshot({ pods: [askingAmiss, pendingPod()], nodePools: limited }), {
      decisionId: 'decision-1',
      nowMs: NOW_MS,
    });
    expect(actions).toMatchObject([{ kind: 'create-node-claim', nodeClaim: { pods: ['default/web-1'] } }]);
  });

  test('a pod with hundreds of alternative terms is refused, so that it does not use the time of the others', () => {
    expect(blockedFor([withTerms(200), withTerms(201)])).toMatchObject([
      { subject: { name: 'terms-201' }, reason: 'Unsupported', numbers: { terms: 201 } },
    ]);
  });

  test.each<[string, Partial<ClusterSnapshot>]>([
    ['a pod prefers', { pods: [pendingPod({ name: 'a', spec: { affinity: { nodeAffinity: preferring } } })] }],
    ['a DaemonSet requires', { daemonSets: [aDaemonSet('a', { affinity: { nodeAffinity: requiring } })] }],
  ])('%s a label with an operator of a later Kubernetes does not affect other pods', (_, over) => {
    const pods = [...(over.pods ?? []), pendingPod()];
    const { actions } = provision(aSnapshot({ ...over, pods }), { decisionId: 'decision-1', nowMs: NOW_MS });
    const planned = actions.flatMap((one) => (one.kind === 'create-node-claim' ? one.nodeClaim.pods : []));
    expect(planned).toContain('default/web-1');
  });

  test.each<[string, Pod]>([
    ['belongs to a DaemonSet', pendingPod({ owner: 'DaemonSet' })],
    ['is not marked as unschedulable yet', aPod()],
    [
      'has scheduling gates',
      aPod({
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
        },
      }),
    ],
  ])('is not reported if it %s (B6, B10)', (_, pod) => {
    expect(blockedFor([pod], { nodePools: [] })).toEqual([]);
  });
});
