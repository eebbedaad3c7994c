import { describe, expect, test } from 'vitest';
import { parseTime } from '../../../../lib/apis/formats/time.ts';
import type { Condition } from '../../../../lib/apis/kubernetes.ts';
import { instanceIdOf, type NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { isShownBy, mirrorOf } from '../../../../lib/core/node-claim/mirror/mirror.ts';
import { consolidatableSince } from '../../../../lib/core/node-claim/mirror/mirror-conditions.ts';
import { refusedTermination, terminating } from '../../../../lib/core/node-claim/terminate.ts';
import { aClaim, launchedClaim } from '../../../builders/node-claims.ts';
import { aNodePool } from '../../../builders/node-pools.ts';
import { aNode } from '../../../builders/nodes.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../../builders/times.ts';

function conditions(record: Parameters<typeof mirrorOf>[0]): Readonly<Record<string, string>> {
  return Object.fromEntries((mirrorOf(record).status?.conditions ?? []).map(({ type, status }) => [type, status]));
}

test('the object has the name of the record and the finalizer (A2.3)', () => {
  expect(mirrorOf(aClaim()).metadata).toMatchObject({
    name: 'general-1',
    labels: { 'karpenter.sh/nodepool': 'general' },
    finalizers: ['karpenter.sh/termination'],
  });
});

describe('the owner reference (A1.29)', () => {
  const pool = { ...aNodePool(), metadata: { name: 'general', uid: 'uid-pool' } };
  const ours = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    name: 'general',
    uid: 'uid-pool',
    blockOwnerDeletion: true,
  };

  test('of a new object has the UID of the existing NodePool', () => {
    const claim = aClaim({ nodePoolUid: 'uid-former' });
    expect(mirrorOf(claim, { nodePool: pool }).metadata.ownerReferences).toEqual([ours]);
    expect(mirrorOf(claim).metadata).not.toHaveProperty('ownerReferences');
  });

  test('of an existing object does not change', () => {
    const former = { ...ours, uid: 'uid-former' };
    const owned = { ...mirrorOf(aClaim()), metadata: { name: 'general-1', ownerReferences: [former] } };
    expect(mirrorOf(aClaim(), { mirror: owned, nodePool: pool }).metadata.ownerReferences).toEqual([former]);
    expect(mirrorOf(aClaim(), { mirror: owned }).metadata.ownerReferences).toEqual([former]);
    const orphaned = mirrorOf(aClaim());
    expect(mirrorOf(aClaim(), { mirror: orphaned, nodePool: pool }).metadata).not.toHaveProperty('ownerReferences');
  });
});

test('no finalizer is added to an object that is being deleted', () => {
  const mirror = mirrorOf(aClaim());
  const deleted = {
    ...mirror,
    metadata: { ...mirror.metadata, finalizers: ['theirs/x'], deletionTimestamp: '2026-01-31T08:00:00Z' },
  };
  expect(mirrorOf(aClaim(), { mirror: deleted }).metadata.finalizers).toEqual([]);
});

test('the columns of kubectl get: type, capacity type and zone are labels (A2.7)', () => {
  expect(mirrorOf(launchedClaim()).metadata.labels).toMatchObject({
    'node.kubernetes.io/instance-type': 'm5.large',
    'karpenter.sh/capacity-type': 'on-demand',
    'topology.kubernetes.io/zone': 'eu-west-3a',
  });
});

describe('D4: the labels of the instance type', () => {
  const instanceLabels = { 'kubernetes.io/arch': 'amd64', 'karpenter.k8s.aws/instance-cpu': '2' };
  const onNode = { ...instanceLabels, 'topology.kubernetes.io/region': 'eu-west-3', 'example.com/theirs': 'x' };
  const node = aNode({ labels: { ...onNode, 'karpenter.sh/registered': 'true' } });
  const registered = launchedClaim({ registeredAtMs: NOW_MS });

  test('are on the NodeClaim from the registration on', () => {
    expect(mirrorOf(registered, { instanceLabels }).metadata.labels).toMatchObject(instanceLabels);
    expect(isShownBy(registered, { mirror: mirrorOf(registered), instanceLabels })).toBe(false);
    // A kubelet reports some of them before the registration. A write for them alone would be one more for each node.
    const launched = launchedClaim();
    expect(isShownBy(launched, { mirror: mirrorOf(launched), node: aNode({ labels: onNode }), instanceLabels })).toBe(
      true,
    );
  });

  test('are those of the node, without the labels of others', () => {
    const { labels } = mirrorOf(registered, { node }).metadata;
    expect(labels).toMatchObject(instanceLabels);
    expect(labels).not.toHaveProperty('example.com/theirs');
    expect(labels).not.toHaveProperty('karpenter.sh/registered');
  });

  test('include the region and the zone id of the node when it is initialized', () => {
    const region = { 'topology.kubernetes.io/region': 'eu-west-3' };
    const initialized = { ...registered, initializedAtMs: NOW_MS };
    expect(mirrorOf(registered, { node }).metadata.labels).not.toMatchObject(region);
    const mirror = mirrorOf(initialized, { node });
    expect(mirror.metadata.labels).toMatchObject(region);
    expect(mirrorOf(initialized, { mirror }).metadata.labels).toMatchObject(region);
  });

  test('are repeated by each later write, also while the node is missing', () => {
    const mirror = mirrorOf(registered, { instanceLabels });
    const lost = { ...registered, nodeLostAtMs: NOW_MS + MINUTE };
    expect(mirrorOf(lost, { mirror }).metadata.labels).toEqual(mirror.metadata.labels);
  });

  test('are overridden by those of the claim', () => {
    const labels = { ...registered.labels, 'kubernetes.io/arch': 'own' };
    expect(mirrorOf({ ...registered, labels }, { node }).metadata.labels).toMatchObject(labels);
  });

  test('do not keep a capacity reservation that has ended', () => {
    const mirror = mirrorOf(registered, { instanceLabels });
    const reserved = { ...mirror.metadata.labels, 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' };
    const before = { ...mirror, metadata: { ...mirror.metadata, labels: reserved } };
    expect(mirrorOf(registered, { mirror: before }).metadata.labels).toEqual(mirror.metadata.labels);
  });
});

test('a claim shows the decision that it belongs to, as the log does', () => {
  const { annotations } = mirrorOf(aClaim({ decisionId: 'provisioning-7-abc' })).metadata;
  expect(annotations).toEqual({ 'kerf.dev/decision': 'provisioning-7-abc' });
});

test('a claim that is being deleted shows the reason, the progress and the deadline (A2.6, D18)', () => {
  const deletion = { reason: 'spot_interrupted', message: 'in 2 minutes', requestedAtMs: NOW_MS } as const;
  const deleted = launchedClaim({ registeredAtMs: NOW_MS, deletion: { ...deletion, deadlineMs: NOW_MS + SECOND } });
  expect(mirrorOf(deleted).metadata.annotations).toMatchObject({
    'karpenter.sh/nodeclaim-termination-timestamp': '2026-01-31T08:00:01Z',
  });
  expect(mirrorOf(deleted).status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'DisruptionReason', reason: 'SpotInterrupted', message: 'in 2 minutes' }),
  );
  expect(conditions(deleted)).not.toHaveProperty('Drained');
  expect(conditions({ ...deleted, deletion: { ...deletion, drainStartedAtMs: NOW_MS } })).toHaveProperty(
    'Drained',
    'Unknown',
  );
  const ended = { ...deletion, drainStartedAtMs: NOW_MS, terminateRequestedAtMs: NOW_MS };
  expect(conditions({ ...deleted, deletion: ended })).toMatchObject({ Drained: 'True', InstanceTerminating: 'True' });
});

test('a termination that EC2 refuses is shown with its cause, and the node stays drained (A2.6)', () => {
  const terminationRefused = { message: 'OperationNotPermitted', sinceMs: NOW_MS + SECOND, retryAtMs: NOW_MS + HOUR };
  const deletion = { reason: 'empty', message: '', requestedAtMs: NOW_MS, drainStartedAtMs: NOW_MS } as const;
  const claim = launchedClaim({ registeredAtMs: NOW_MS, deletion: { ...deletion, terminationRefused } });
  const lastTransitionTime = '2026-01-31T08:00:01Z';
  expect(mirrorOf(claim).status?.conditions?.slice(-2)).toEqual([
    { type: 'Drained', status: 'True', reason: 'Drained', message: '', lastTransitionTime },
    {
      type: 'InstanceTerminating',
      status: 'False',
      reason: 'TerminationRefused',
      message: 'OperationNotPermitted',
      lastTransitionTime,
    },
  ]);
});

test('a node is drained since the first request to terminate its instance, while EC2 refuses it and after EC2 accepts it (A2.6)', () => {
  const deletion = { reason: 'empty', message: '', requestedAtMs: NOW_MS, drainStartedAtMs: NOW_MS } as const;
  const drained = launchedClaim({ registeredAtMs: NOW_MS, deletion: { ...deletion, volumesAwaitedSinceMs: NOW_MS } });
  const what = { instanceId: 'i-1', message: 'OperationNotPermitted' };
  const refused = refusedTermination(drained, what, NOW_MS + SECOND) ?? drained;
  const twice = refusedTermination(refused, what, NOW_MS + 10 * SECOND) ?? drained;
  const accepted = terminating(twice, NOW_MS + MINUTE);
  const again = terminating(accepted, NOW_MS + HOUR);
  const times = [refused, twice, accepted, again].map((record) => {
    const last = (mirrorOf(record).status?.conditions ?? []).slice(-3);
    return last.map(({ lastTransitionTime = '' }) => (parseTime(lastTransitionTime) - NOW_MS) / SECOND);
  });
  // Drained, VolumesDetached and InstanceTerminating.
  expect(times).toEqual([
    [0, 1, 1],
    [0, 1, 1],
    [0, 1, 60],
    [0, 1, 60],
  ]);
  const withoutVolumes = { ...deletion, drainOverAtMs: NOW_MS + SECOND, terminateRequestedAtMs: NOW_MS + MINUTE };
  expect(mirrorOf({ ...drained, deletion: withoutVolumes }).status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Drained', status: 'True', lastTransitionTime: '2026-01-31T08:00:01Z' }),
  );
});

test('it is Consolidatable after consolidateAfter without changes, and never with consolidateAfter: Never (D13)', () => {
  const claim = launchedClaim({
    registeredAtMs: NOW_MS,
    initializedAtMs: NOW_MS,
    lastPodEventAtMs: NOW_MS + 6 * SECOND,
  });
  const isTold = (consolidateAfter: string, nowMs: number) => {
    const nodePool = aNodePool({ disruption: { consolidateAfter } });
    const consolidatableSinceMs = consolidatableSince(claim, nodePool, nowMs);
    return mirrorOf(claim, { consolidatableSinceMs }).status?.conditions?.some(({ type }) => type === 'Consolidatable');
  };
  expect(isTold('30s', NOW_MS + 34 * SECOND)).toBe(false);
  expect(isTold('30s', NOW_MS + 35 * SECOND)).toBe(true);
  expect(isTold('Never', NOW_MS + 35 * SECOND)).toBe(false);
});

test('labels and conditions of other programs are ignored; a missing label is a difference', () => {
  const claim = launchedClaim();
  const mirror = mirrorOf(claim);
  const theirs = { type: 'Theirs', status: 'True', lastTransitionTime: '2026-01-31T08:00:00Z' } as const;
  const beside = {
    ...mirror,
    metadata: { ...mirror.metadata, labels: { ...mirror.metadata.labels, theirs: 'x' } },
    status: { ...mirror.status, conditions: [theirs, ...(mirror.status?.conditions ?? [])] },
  };
  expect(isShownBy(claim, { mirror: beside })).toBe(true);
  expect(isShownBy({ ...claim, annotations: { hash: 'new' } }, { mirror: beside })).toBe(false);
});

test('an object matches its record if instance, node and conditions are equal', () => {
  const registered = launchedClaim({ nodeName: 'node-1', registeredAtMs: NOW_MS });
  expect(isShownBy(registered, { mirror: mirrorOf(registered) })).toBe(true);
  expect(isShownBy(registered, { mirror: mirrorOf(launchedClaim()) })).toBe(false);
  expect(isShownBy(registered, { mirror: undefined })).toBe(false);
});

test('an object is compared again when the record, the node, or the time since when it is Consolidatable changes', () => {
  const registered = launchedClaim({ nodeName: 'node-1', registeredAtMs: NOW_MS });
  const mirror = mirrorOf(registered);
  expect(isShownBy(registered, { mirror })).toBe(true);
  expect(isShownBy(registered, { mirror, consolidatableSinceMs: NOW_MS })).toBe(false);
  expect(isShownBy(registered, { mirror, node: aNode({ labels: { 'karpenter.k8s.aws/instance-cpu': '2' } }) })).toBe(
    false,
  );
  expect(isShownBy({ ...registered, nodeName: 'node-2' }, { mirror })).toBe(false);
  expect(isShownBy(registered, { mirror })).toBe(true);
});

test('it is Ready when it is launched, registered and initialized (A2.5)', () => {
  expect(conditions(aClaim())).toEqual({
    Launched: 'Unknown',
    Registered: 'Unknown',
    Initialized: 'Unknown',
    Ready: 'Unknown',
  });
  const ready = launchedClaim({ registeredAtMs: NOW_MS, initializedAtMs: NOW_MS + SECOND });
  expect(conditions(ready)).toMatchObject({ Launched: 'True', Registered: 'True', Initialized: 'True', Ready: 'True' });
});

test('Registered and Initialized have the times of the registration and the initialization (A2.5)', () => {
  const times = { registeredAtMs: NOW_MS + 40 * SECOND, initializedAtMs: NOW_MS + 50 * SECOND };
  expect(mirrorOf(launchedClaim(times)).status?.conditions?.slice(0, 4)).toMatchObject([
    { type: 'Launched', lastTransitionTime: '2026-01-31T08:00:00Z' },
    { type: 'Registered', lastTransitionTime: '2026-01-31T08:00:40Z' },
    { type: 'Initialized', lastTransitionTime: '2026-01-31T08:00:50Z' },
    { type: 'Ready', lastTransitionTime: '2026-01-31T08:00:50Z' },
  ]);
});

/** The condition ConsistentStateFound of a launched claim. */
function found(over: Partial<NodeClaimRecord>): Condition | undefined {
  return mirrorOf(launchedClaim(over)).status?.conditions?.find(({ type }) => type === 'ConsistentStateFound');
}

test('D10: ConsistentStateFound is True after the initialization, and False with the cause while it is inconsistent', () => {
  const ready = { registeredAtMs: NOW_MS, initializedAtMs: NOW_MS + SECOND };
  const finding = { reason: 'FailedConsistencyCheck', message: 'too small' } as const;
  expect(found({ registeredAtMs: NOW_MS })).toBeUndefined();
  expect(found(ready)).toMatchObject({ status: 'True', lastTransitionTime: '2026-01-31T08:00:01Z' });
  expect(found({ ...ready, consistency: { sinceMs: NOW_MS + 2 * SECOND, finding } })).toMatchObject({
    status: 'False',
    ...finding,
    lastTransitionTime: '2026-01-31T08:00:02Z',
  });
  expect(found({ ...ready, consistency: { sinceMs: NOW_MS + 3 * SECOND } })).toMatchObject({
    status: 'True',
    lastTransitionTime: '2026-01-31T08:00:03Z',
  });
});

test('a claim whose node has disappeared is not Registered, since the node was missing', () => {
  const times = { registeredAtMs: NOW_MS, initializedAtMs: NOW_MS, nodeLostAtMs: NOW_MS + 40 * SECOND };
  const lost = {
    status: 'Unknown',
    reason: 'NodeNotFound',
    message: 'node node-1 has disappeared from the cluster, or its registration was removed',
    lastTransitionTime: '2026-01-31T08:00:40Z',
  };
  expect(mirrorOf(launchedClaim({ nodeName: 'node-1', ...times })).status?.conditions?.slice(0, 4)).toMatchObject([
    { type: 'Launched', status: 'True' },
    { type: 'Registered', ...lost },
    { type: 'Initialized', ...lost },
    { type: 'Ready', ...lost },
  ]);
});

test('it shows the error of EC2 in at most 300 characters until the next attempt (D3)', () => {
  const refused = aClaim({ launch: { kind: 'refused', attempt: 1, message: 'x'.repeat(400), atMs: NOW_MS } });
  expect(mirrorOf(refused).status?.conditions?.[0]).toMatchObject({
    type: 'Launched',
    status: 'Unknown',
    reason: 'LaunchFailed',
    message: 'x'.repeat(300),
  });
  expect(isShownBy(refused, { mirror: mirrorOf(aClaim()) })).toBe(false);
  expect(isShownBy(refused, { mirror: mirrorOf(refused) })).toBe(true);
});

test('after the launch it shows its instance and its capacity (A2.4)', () => {
  expect(mirrorOf(aClaim()).status).not.toHaveProperty('providerID');
  expect(mirrorOf(launchedClaim()).status).toMatchObject({
    providerID: 'aws:///eu-west-3a/i-1',
    imageID: 'ami-amd64',
    capacity: { cpu: '2', memory: '8Gi', pods: '29' },
  });
});

test.each([
  ['aws:///eu-west-3a/i-0abc', 'i-0abc'],
  ['aws:///eu-west-3a/fargate-1', undefined],
  ['gce://project/zone/vm', undefined],
  [undefined, undefined],
])('the instance of %s is %s', (providerId, id) => {
  expect(instanceIdOf(providerId)).toBe(id);
});
