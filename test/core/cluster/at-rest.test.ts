/** Pods of `ignoreAtZero`: they neither launch the first node nor keep the last node, and run when other pods run. */

import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { isAtRest } from '../../../lib/core/cluster/at-rest.ts';
import { disrupt } from '../../../lib/core/disruption/disrupt.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import type { Deletion } from '../../../lib/core/model/node-claim-record.ts';
import { decideTermination } from '../../../lib/core/node-claim/termination.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { terminationView } from '../../builders/claim-view.ts';
import { aCommand, candidatesNamed } from '../../builders/decisions.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { aBudget, aNode } from '../../builders/nodes.ts';
import { type PodOptions, pendingPod, runningPod } from '../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { HOUR, NOW_MS } from '../../builders/times.ts';

const ignoreAtZero = [{ namespace: 'kube-system' }];
const DNS: PodOptions = { name: 'coredns-1', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } };
const DNS_2: PodOptions = { ...DNS, name: 'coredns-2' };

/** A pod as `kubectl run` creates it. */
function bare(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [] } };
}

function provisioned(over: Partial<ClusterSnapshot>) {
  return provision(aSnapshot({ ignoreAtZero, ...over }), { decisionId: 'decision-1', nowMs: NOW_MS });
}

function created(over: Partial<ClusterSnapshot>): readonly string[] {
  return provisioned(over).actions.flatMap((action) =>
    action.kind === 'create-node-claim' ? action.nodeClaim.pods : [],
  );
}

function createdBefore(ms: number): Pod {
  return pendingPod({ name: 'web-1', createdAtMs: NOW_MS - ms });
}

describe('a cluster is at rest', () => {
  const dns = runningPod('node-1', DNS);

  test.each([
    ['not if a pod of a user was just created: it needs a node, and the others are then evicted as usual', 0, false],
    ['not if such a pod has waited for less than two minutes', 119_000, false],
    ['after such a pod has waited for two minutes, because no node is launched for it', 120_000, true],
  ])('%s', (_, ageMs, rests) => {
    expect(isAtRest({ pods: [dns, createdBefore(ageMs)], ignoreAtZero }, NOW_MS)).toBe(rests);
  });

  test('also if a pod that can wait was just created', () => {
    const waiting = pendingPod({ ...DNS_2, createdAtMs: NOW_MS });
    expect(isAtRest({ pods: [dns, waiting], ignoreAtZero }, NOW_MS)).toBe(true);
  });
});

describe('an empty cluster', () => {
  test('launches no node for pods that can wait, and refuses each of them with a reason', () => {
    const { actions, blocked } = provisioned({ pods: [pendingPod(DNS), pendingPod(DNS_2)] });
    expect(actions).toEqual([]);
    expect(blocked).toMatchObject([
      { subject: { kind: 'Pod', namespace: 'kube-system', name: 'coredns-1' }, reason: 'WaitsAtZero' },
      { subject: { kind: 'Pod', namespace: 'kube-system', name: 'coredns-2' }, reason: 'WaitsAtZero' },
    ]);
  });

  test('launches a node for any other pod, and the waiting pods are placed with it', () => {
    const pods = [pendingPod(DNS), pendingPod({ name: 'web-1' })];
    expect(created({ pods }).toSorted()).toEqual(['default/web-1', 'kube-system/coredns-1']);
  });

  test('launches no node for waiting pods because of another pod that fits no instance type', () => {
    const stuck = pendingPod({ name: 'stuck', requests: { cpu: '4k' } });
    expect(created({ pods: [pendingPod(DNS), stuck] })).toEqual([]);
  });

  test('launches nodes for all pods if ignoreAtZero is empty', () => {
    expect(created({ pods: [pendingPod(DNS)], ignoreAtZero: [] })).toEqual(['kube-system/coredns-1']);
  });

  test('launches a node for a pod of the namespace with other labels', () => {
    const named = [{ namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } }];
    const operator = pendingPod({ name: 'operator', namespace: 'kube-system' });
    expect(created({ pods: [pendingPod(DNS)], ignoreAtZero: named })).toEqual([]);
    expect(created({ pods: [operator], ignoreAtZero: named })).toEqual(['kube-system/operator']);
  });

  test('launches a node for a pod with do-not-disrupt', () => {
    const kept = pendingPod({ ...DNS, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    expect(created({ pods: [kept] })).toEqual(['kube-system/coredns-1']);
  });

  test.each([
    ['that no controller makes again', bare(pendingPod({ ...DNS, name: 'debug' }))],
    ['that works for a Job', pendingPod({ ...DNS, name: 'debug', owner: 'Job' })],
  ])('is woken by a pod %s: it is nothing that only serves others', (_, pod) => {
    expect(created({ pods: [pod] })).toEqual(['kube-system/debug']);
  });

  test('places waiting pods when another pod runs', () => {
    const pods = [pendingPod({ ...DNS, requests: { cpu: '3' } }), runningPod('static-1', { name: 'web-1' })];
    expect(created({ pods, nodes: [aNode({ name: 'static-1', allocatable: { cpu: '1', pods: '9' } })] })).toEqual([
      'kube-system/coredns-1',
    ]);
  });

  test('reserves capacity for a CapacityBuffer', () => {
    const bufferPods = [pendingPod({ name: 'capacity-buffer-spare-0' })];
    expect(created({ pods: [pendingPod(DNS)], bufferPods })).toContain('kube-system/coredns-1');
  });
});

describe('the last nodes', () => {
  const nodePools = [
    aPoolView({
      disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: '0s', consolidationPolicy: 'WhenEmpty' },
    }),
  ];
  const two = [initializedNode({ name: 'a' }), initializedNode({ name: 'b' })];
  const dns = [runningPod('a', DNS), runningPod('b', DNS_2)];

  function goes(over: Partial<ClusterSnapshot>): readonly string[] {
    const snapshot = snapshotOf(two, { nodePools, ignoreAtZero, ...over });
    return disrupt(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS }).actions.flatMap((action) =>
      action.kind === 'start-disruption' ? action.command.candidates.map(({ node }) => node) : [],
    );
  }

  test('are removed if only pods that can wait run, even with an exhausted PodDisruptionBudget', () => {
    expect(goes({ pods: dns })).toEqual(['a', 'b']);
    const budget = aBudget({
      metadata: { name: 'coredns', namespace: 'kube-system' },
      spec: { selector: { matchLabels: { 'k8s-app': 'kube-dns' } } },
    });
    expect(goes({ pods: dns, podDisruptionBudgets: [budget] })).toEqual(['a', 'b']);
  });

  test.each<readonly [string, Partial<ClusterSnapshot>]>([
    ['another pod runs', { pods: [...dns, runningPod('a', { name: 'web-1' })] }],
    ['another pod runs on a node that is not ours', { pods: [...dns, runningPod('static-1', { name: 'web-1' })] }],
    ['another pod was just created', { pods: [...dns, pendingPod({ name: 'web-1', createdAtMs: NOW_MS })] }],
    ['a node is promised to pods', { pods: dns, nominated: ['a'] }],
    ['room is kept', { pods: dns, bufferPods: [pendingPod({ name: 'capacity-buffer-spare-0' })] }],
    ['nothing is to be ignored', { pods: dns, ignoreAtZero: [] }],
    ['a pod would be lost with its node', { pods: [...dns, bare(runningPod('b', { ...DNS, name: 'debug' }))] }],
    ['a Job is at work', { pods: [...dns, runningPod('b', { ...DNS, name: 'backup', owner: 'Job' })] }],
    [
      'one of them is to stay',
      {
        pods: [...dns, runningPod('b', { ...DNS, name: 'x', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
      },
    ],
  ])('stay, all of them, where %s', (_, over) => {
    expect(goes(over)).toEqual([]);
  });

  test('stay while another node is starting', () => {
    const starting = launchedClaim({ name: 'claim-c', registeredAtMs: NOW_MS });
    const snapshot = snapshotOf(two, { nodePools, ignoreAtZero, pods: dns });
    const verdict = disrupt(
      { ...snapshot, nodeClaims: [...snapshot.nodeClaims, starting] },
      { decisionId: 'decision-1', nowMs: NOW_MS },
    );
    expect(verdict.actions).toEqual([]);
  });

  test('are removed with their waiting pods, whose PodDisruptionBudget would keep them forever', () => {
    const command = aCommand({ candidates: candidatesNamed('a'), validateAtMs: NOW_MS });
    const snapshot = snapshotOf(two, { nodePools, ignoreAtZero, pods: dns, commands: [command] });
    const { actions } = disrupt(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS });
    expect(actions[0]).toMatchObject({ kind: 'delete-node-claim', nodeClaim: 'claim-a', atRest: true });
  });
});

describe('a drain', () => {
  /** @param rests nothing else runs in the cluster, and no other node stays */
  function evicted(rests: boolean, pod = runningPod('node-1', DNS)) {
    const deletion: Deletion = { reason: 'empty', message: '', requestedAtMs: NOW_MS };
    const record = launchedClaim({ createdAtMs: NOW_MS - HOUR, nodeName: 'node-1', registeredAtMs: NOW_MS, deletion });
    const view = terminationView({
      record,
      node: aNode(),
      pods: [pod],
      ...(rests && { ignoreAtZero }),
      instanceState: 'alive',
    });
    return decideTermination(view, NOW_MS).actions.filter(({ kind }) => kind === 'evict-pod');
  }

  test('of the last node deletes pods that can wait, with their grace period', () => {
    expect(evicted(true)).toMatchObject([{ pod: { name: 'coredns-1' }, force: { graceSeconds: 30 } }]);
  });

  test('of any other node respects their PodDisruptionBudgets', () => {
    expect(evicted(false)).toMatchObject([{ pod: { name: 'coredns-1' } }]);
    expect(evicted(false)[0]).not.toHaveProperty('force');
  });

  test.each([
    ['that came since', runningPod('node-1', { name: 'web-1' })],
    ['that would be lost', bare(runningPod('node-1', DNS))],
  ])('of a last node asks for every pod %s', (_, pod) => {
    expect(evicted(true, pod)[0]).not.toHaveProperty('force');
  });
});
