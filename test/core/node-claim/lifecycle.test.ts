import { describe, expect, test } from 'vitest';
import { launched, refusedLaunch } from '../../../lib/core/node-claim/launch.ts';
import { decideLifecycle, type NodeClaimView } from '../../../lib/core/node-claim/lifecycle.ts';
import type { LaunchRequest, NodeClaimRecord } from '../../../lib/core/node-claim/record.ts';
import { launchContext } from '../../builders/launch-context.ts';
import { aClaim, aLaunchRequest, anInstance, claimSpec, launchedClaim } from '../../builders/node-claims.ts';
import { aNode, type NodeOptions } from '../../builders/nodes.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

function viewOf(record: NodeClaimRecord, over: Partial<NodeClaimView> = {}): NodeClaimView {
  return {
    record,
    deleteRequested: false,
    instanceListed: true,
    instanceLabels: {},
    learnedMemory: [],
    launchContext: launchContext(),
    ...over,
  };
}

const OFFERING = { instanceType: 'm5.large', zone: 'eu-west-3a', priceUsdPerHour: 0.1 } as const;
const spotAndOnDemand = [
  { ...OFFERING, capacityType: 'spot', priceUsdPerHour: 0.04 },
  { ...OFFERING, capacityType: 'on-demand' },
  { ...OFFERING, capacityType: 'on-demand', zone: 'eu-west-3b' },
] as const;

/** The request that the verdict sends. */
function requestOf(view: NodeClaimView, nowMs = NOW_MS): LaunchRequest | undefined {
  const [action] = decideLifecycle(view, nowMs).actions;
  return action?.kind === 'launch-instance' ? action.request : undefined;
}

function deletionOf(view: NodeClaimView, nowMs: number): string | undefined {
  const [action] = decideLifecycle(view, nowMs).actions;
  return action?.kind === 'delete-node-claim' ? action.reason : undefined;
}

describe('launch', () => {
  test('goes by the order of the prices where a NodeOverlay set them (C47)', () => {
    const overlaid = aClaim({ annotations: { 'karpenter.sh/price-overlay-applied': 'true' } });
    expect(requestOf(viewOf(overlaid))).toMatchObject({ prioritized: true });
    expect(requestOf(viewOf(aClaim()))).not.toHaveProperty('prioritized');
  });

  test('the request is frozen in the record before it is sent (D36)', () => {
    const { record, actions } = decideLifecycle(viewOf(aClaim()), NOW_MS);
    const [action] = actions;
    expect(action).toMatchObject({ kind: 'launch-instance', nodeClaim: 'general-1', attempt: 1 });
    expect(record.launch).toMatchObject({ kind: 'requested', attempt: 1, atMs: NOW_MS });
    expect(record.launch.kind === 'requested' && record.launch.request).toBe(
      action?.kind === 'launch-instance' && action.request,
    );
  });

  test('the next attempt follows a refusal, with a token of its own and without what has no capacity', () => {
    const record = aClaim({ options: spotAndOnDemand });
    const first = requestOf(viewOf(record));
    const refused = refusedLaunch(decideLifecycle(viewOf(record), NOW_MS).record, {
      message: 'no capacity',
      nowMs: NOW_MS,
      learned: true,
    });
    const unavailable = [{ ...OFFERING, capacityType: 'spot' as const, untilMs: NOW_MS + MINUTE, reason: '' }];
    const second = requestOf(viewOf(refused, { launchContext: launchContext({ unavailable }) }));
    expect(refused.launch).toEqual({ kind: 'refused', attempt: 1, message: 'no capacity', atMs: NOW_MS });
    expect(first).toMatchObject({ capacityType: 'spot', overrides: [{ capacityType: 'spot' }] });
    expect(second).toMatchObject({
      capacityType: 'on-demand',
      overrides: [{ subnetId: 'subnet-a' }, { subnetId: 'subnet-b' }],
    });
    expect(second?.clientToken).not.toBe(first?.clientToken);
  });

  test('a subnet without free addresses is left out, and another of its zone is taken (C32)', () => {
    const { resolved } = launchContext();
    const [first] = resolved.subnets;
    const other = { id: 'subnet-a2', zone: 'eu-west-3a', zoneId: 'euw3-az1', freeAddresses: 9 };
    const full = { instanceType: '*', zone: 'eu-west-3a', capacityType: 'spot', untilMs: NOW_MS, reason: '' } as const;
    const context = launchContext({
      resolved: { ...resolved, subnets: [...resolved.subnets, other] },
      unavailable: [{ ...full, subnetId: first?.id ?? '' }],
    });
    const request = requestOf(viewOf(aClaim(), { launchContext: context }));
    expect(request?.overrides.map(({ zone, subnetId }) => [zone, subnetId])).toContainEqual([
      'eu-west-3a',
      'subnet-a2',
    ]);
    expect(request?.overrides.map(({ subnetId }) => subnetId)).not.toContain(first?.id);
  });

  test('the token follows from the claim and the attempt (C51)', () => {
    const token = (over: Partial<NodeClaimRecord>) => requestOf(viewOf(aClaim(over)))?.clientToken;
    expect(token({})).toBe(token({}));
    expect(token({})?.length).toBeLessThanOrEqual(64);
    expect(
      new Set([token({}), token({ name: 'general-2' }), token({ cluster: 'other' }), token({ createdAtMs: 1 })]).size,
    ).toBe(4);
  });

  test('reserved capacity comes before spot, spot before on-demand (C43)', () => {
    const options = [...spotAndOnDemand, { ...OFFERING, capacityType: 'reserved' as const }];
    expect(requestOf(viewOf(aClaim({ options })))?.capacityType).toBe('reserved');
    expect(requestOf(viewOf(aClaim({ options: spotAndOnDemand })))?.capacityType).toBe('spot');
  });

  test('the instance carries the tags of its owner from the first moment on (C50)', () => {
    expect(requestOf(viewOf(aClaim()))?.tags).toEqual({
      team: 'a',
      'kubernetes.io/cluster/demo': 'owned',
      'eks:eks-cluster-name': 'demo',
      'karpenter.sh/nodepool': 'general',
      'karpenter.k8s.aws/ec2nodeclass': 'default',
      'karpenter.sh/nodeclaim': 'general-1',
    });
  });

  test('the node starts with its taints and the unregistered one (A6.5)', () => {
    const spec = claimSpec({
      taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
      startupTaints: [{ key: 'cni', effect: 'NoExecute' }],
    });
    const userData = requestOf(viewOf(aClaim({ spec })))?.templates[0]?.userData ?? '';
    expect(userData).toContain('karpenter.sh/unregistered');
    expect(userData).toContain('team');
    expect(userData).toContain('cni');
  });

  test.each([
    [
      'no offering has capacity',
      { unavailable: [{ ...OFFERING, capacityType: 'on-demand', untilMs: NOW_MS, reason: '' }] },
    ],
    [
      'its capacity type is to be had nowhere',
      { unavailable: [{ instanceType: '*', zone: '*', capacityType: 'on-demand', untilMs: NOW_MS, reason: '' }] },
    ],
    ['no subnet is in its zone', { resolved: { ...launchContext().resolved, subnets: [] } }],
    ['no image is of its architecture', { resolved: { ...launchContext().resolved, images: [] } }],
  ] as const)('where %s the claim is given up (D3)', (_, context) => {
    expect(deletionOf(viewOf(aClaim(), { launchContext: launchContext(context) }), NOW_MS)).toBe(
      'insufficient_capacity',
    );
  });

  test('while its NodeClass cannot be used the claim waits and says why', () => {
    const view = viewOf(aClaim(), { launchContext: { reason: 'NodeClassNotReady', message: 'no subnets' } });
    expect(decideLifecycle(view, NOW_MS)).toMatchObject({
      actions: [],
      blocked: [{ subject: 'nodeclaim general-1', reason: 'NodeClassNotReady', message: 'no subnets' }],
      due: [{ atMs: NOW_MS + MINUTE, kind: 'settling' }],
    });
    expect(decideLifecycle(view, NOW_MS + 4.5 * MINUTE).due).toEqual([{ atMs: NOW_MS + 5 * MINUTE, kind: 'settling' }]);
  });

  test('launched, it holds its real capacity and no more (promise 2)', () => {
    const record = aClaim({
      holds: { cpu: 64_000 },
      launch: { kind: 'requested', attempt: 2, request: aLaunchRequest(), atMs: 0 },
    });
    expect(launched(record, anInstance(), NOW_MS)).toMatchObject({
      holds: { cpu: 2_000 },
      launch: { kind: 'launched', attempt: 2, atMs: NOW_MS },
    });
    expect(launched(record, anInstance({ instanceType: 'unheard-of' }), NOW_MS).holds).toEqual({ cpu: 64_000 });
  });
});

describe('an attempt whose outcome is unknown (D36)', () => {
  const request = aLaunchRequest({ clientToken: 'first' });
  const sent = (over: Partial<NodeClaimRecord> = {}) =>
    aClaim({ launch: { kind: 'requested', attempt: 3, request, atMs: NOW_MS }, ...over });
  const going = { deletion: { reason: 'deleted', message: '', requestedAtMs: NOW_MS } } as const;

  test.each<[string, NodeClaimRecord, Partial<NodeClaimView>]>([
    ['while there is time', sent(), {}],
    ['even when the claim must go', sent(going), { deleteRequested: true }],
    ['even when the NodeClass cannot be used', sent(), { launchContext: { reason: 'NodeClassNotReady', message: '' } }],
  ])('is sent again word for word, %s', (_, record, over) => {
    const verdict = decideLifecycle(viewOf(record, { instanceListed: false, ...over }), NOW_MS + 59 * SECOND);
    expect(verdict.actions).toEqual([{ kind: 'launch-instance', nodeClaim: 'general-1', attempt: 3, request }]);
    expect(verdict.record).toBe(record);
  });

  test('has made the instance that carries the claim’s name', () => {
    const verdict = decideLifecycle(viewOf(sent(going), { taggedInstance: anInstance({ id: 'i-9' }) }), NOW_MS);
    expect(verdict).toMatchObject({ actions: [], record: { launch: { kind: 'launched', instance: { id: 'i-9' } } } });
  });

  test.each([
    ['the claim must go', sent(going), NOW_MS + MINUTE],
    ['the time for a launch is over', sent({ createdAtMs: NOW_MS - 4 * MINUTE }), NOW_MS + MINUTE],
  ])('is given up when %s and EC2 had time to list what there is', (_, record, nowMs) => {
    expect(decideLifecycle(viewOf(record), nowMs)).toMatchObject({
      actions: [],
      record: { launch: { kind: 'refused' } },
    });
  });
});

test('a refusal that taught nothing is followed by a pause that doubles, up to a minute', () => {
  const pauseAfter = (attempt: number): number | undefined => {
    const record = aClaim({ launch: { kind: 'requested', attempt, request: aLaunchRequest(), atMs: NOW_MS } });
    const refused = refusedLaunch(record, { message: 'throttled', nowMs: NOW_MS });
    const { actions, due } = decideLifecycle(viewOf(refused), NOW_MS);
    expect(actions).toEqual([]);
    return due[0] && due[0].atMs - NOW_MS;
  };
  expect([1, 2, 3, 4, 5, 6].map(pauseAfter)).toEqual([5, 10, 20, 40, 60, 60].map((seconds) => seconds * SECOND));
});

describe('giving up', () => {
  const young = aClaim({ launch: { kind: 'refused', attempt: 1, message: '', atMs: NOW_MS } });
  test.each<[string, NodeClaimView, number, string | undefined]>([
    ['not launched for 5 minutes (D8)', viewOf(young), NOW_MS + 5 * MINUTE, 'launch_timeout'],
    ['not registered for 15 minutes (D8)', viewOf(launchedClaim()), NOW_MS + 15 * MINUTE, 'registration_timeout'],
    ['not yet: 14 minutes', viewOf(launchedClaim()), NOW_MS + 14 * MINUTE, undefined],
    ['registered in time', viewOf(launchedClaim({ registeredAtMs: NOW_MS })), NOW_MS + 15 * MINUTE, undefined],
    ['kubectl delete nodeclaim', viewOf(aClaim(), { deleteRequested: true }), NOW_MS, 'deleted'],
    [
      'kubectl delete node (D17)',
      viewOf(launchedClaim(), { node: aNode({ deletionTimestamp: '2026-01-31T08:00:00Z' }) }),
      NOW_MS,
      'deleted',
    ],
    ['older than expireAfter (D14)', viewOf(launchedClaim({ registeredAtMs: NOW_MS })), NOW_MS + 720 * HOUR, 'expired'],
    [
      'not yet: a minute younger (D14)',
      viewOf(launchedClaim({ registeredAtMs: NOW_MS })),
      NOW_MS + 720 * HOUR - MINUTE,
      undefined,
    ],
    [
      'Never (D14)',
      viewOf(launchedClaim({ registeredAtMs: NOW_MS, spec: claimSpec({ expireAfter: 'Never' }) })),
      NOW_MS + 9_999 * HOUR,
      undefined,
    ],
    [
      'its instance is gone (D15)',
      viewOf(launchedClaim(), { instanceListed: false }),
      NOW_MS + MINUTE,
      'garbage_collected',
    ],
    [
      'its instance is too young to be listed',
      viewOf(launchedClaim(), { instanceListed: false }),
      NOW_MS + 59 * SECOND,
      undefined,
    ],
    [
      'its instance is gone, its node not ready (D15)',
      viewOf(launchedClaim(), { instanceListed: false, node: aNode({ ready: false }) }),
      NOW_MS + MINUTE,
      'garbage_collected',
    ],
    [
      'its instance is not listed, but its node is Ready (D15)',
      viewOf(launchedClaim(), { instanceListed: false, node: aNode() }),
      NOW_MS + MINUTE,
      undefined,
    ],
  ])('%s', (...[, view, nowMs, reason]) => {
    expect(deletionOf(view, nowMs)).toBe(reason);
  });

  test('a claim that is being deleted is left to termination', () => {
    const record = aClaim({ deletion: { reason: 'empty', message: '', requestedAtMs: NOW_MS } });
    expect(decideLifecycle(viewOf(record), NOW_MS).actions).toEqual([]);
  });

  test('a claim without a node is looked at again when its time is up', () => {
    expect(decideLifecycle(viewOf(launchedClaim()), NOW_MS).due).toEqual([
      { atMs: NOW_MS + 15 * MINUTE, kind: 'settling' },
    ]);
  });
});

describe('joining the cluster', () => {
  const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' }] as const;
  const startupTaints = [{ key: 'cni', effect: 'NoSchedule' }] as const;
  const unregistered = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' } as const;
  const registered = { 'karpenter.sh/registered': 'true' };

  function joining(node: NodeOptions, over: Partial<NodeClaimRecord> = {}) {
    const record = launchedClaim({ spec: claimSpec({ taints, startupTaints }), annotations: { note: 'x' }, ...over });
    const view = viewOf(record, { node: aNode(node), instanceLabels: { 'karpenter.k8s.aws/instance-cpu': '2' } });
    return decideLifecycle(view, NOW_MS);
  }

  test('registration gives labels, taints and finalizer, and takes the unregistered taint (D6)', () => {
    const verdict = joining({
      taints: [unregistered, { key: 'other', effect: 'NoSchedule' }],
      finalizers: ['x'],
      resourceVersion: '7',
    });
    expect(verdict.record).toMatchObject({ nodeName: 'node-1', registeredAtMs: NOW_MS });
    expect(verdict.actions).toEqual([
      {
        kind: 'register-node',
        nodeClaim: 'general-1',
        node: { name: 'node-1', resourceVersion: '7' },
        patch: {
          labels: {
            'karpenter.k8s.aws/instance-cpu': '2',
            'node.kubernetes.io/instance-type': 'm5.large',
            'topology.kubernetes.io/zone': 'eu-west-3a',
            'karpenter.sh/capacity-type': 'on-demand',
            'karpenter.sh/nodepool': 'general',
            'karpenter.k8s.aws/ec2nodeclass': 'default',
            'karpenter.sh/registered': 'true',
          },
          annotations: { note: 'x' },
          taints: [{ key: 'other', effect: 'NoSchedule' }, ...taints, ...startupTaints],
          finalizers: ['x', 'karpenter.sh/termination'],
        },
      },
    ]);
    expect(verdict.due).toContainEqual({ atMs: NOW_MS + SECOND, kind: 'settling' });
  });

  test('taints that the node has already are not doubled (D6)', () => {
    const [action] = joining({ taints: [...taints, unregistered] }).actions;
    expect(action).toMatchObject({ patch: { taints: [...taints, ...startupTaints] } });
  });

  test('a node that says so keeps the taints that it has (D6)', () => {
    const [action] = joining({ labels: { 'karpenter.sh/do-not-sync-taints': 'true' }, taints: [unregistered] }).actions;
    expect(action).toMatchObject({ patch: { taints: [] } });
  });

  test('a registration that was lost is made again, at its first time', () => {
    const { record, actions } = joining({}, { registeredAtMs: NOW_MS - MINUTE });
    expect(actions).toMatchObject([{ kind: 'register-node' }]);
    expect(record.registeredAtMs).toBe(NOW_MS - MINUTE);
  });

  test('a node that lacks nothing is initialized (D7)', () => {
    const { record, actions } = joining({ labels: registered, taints });
    expect(record.initializedAtMs).toBe(NOW_MS);
    expect(actions).toMatchObject([
      { kind: 'initialize-node', patch: { labels: { 'karpenter.sh/initialized': 'true' } } },
    ]);
  });

  test('and promised to the pods that it was made for, until the scheduler has bound them (B5)', () => {
    expect(joining({ labels: registered, taints }, { pods: ['default/web-1'] }).actions).toMatchObject([
      { kind: 'initialize-node' },
      { kind: 'nominate-node', node: 'node-1', pods: ['default/web-1'] },
    ]);
  });

  test('but not to those of CapacityBuffers, which nobody will bind (B65)', () => {
    const both = {
      pods: ['default/capacity-buffer-a-1', 'default/web-1'],
      bufferPods: ['default/capacity-buffer-a-1'],
    };
    expect(joining({ labels: registered, taints }, both).actions).toMatchObject([
      { kind: 'initialize-node' },
      { kind: 'nominate-node', pods: ['default/web-1'] },
    ]);
    expect(joining({ labels: registered, taints }, { ...both, pods: both.bufferPods }).actions).toHaveLength(1);
  });

  test.each<[string, NodeOptions, Partial<NodeClaimRecord>, string]>([
    ['it is not Ready', { ready: false }, {}, 'the node is not Ready'],
    ['a startup taint is there', { taints: startupTaints }, {}, 'the taint cni:NoSchedule is still there'],
    [
      'a passing taint is there',
      { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
      {},
      'the taint node.kubernetes.io/not-ready:NoSchedule is still there',
    ],
    [
      'a device is not there yet',
      { allocatable: { cpu: '2', 'nvidia.com/gpu': '0' } },
      { spec: claimSpec({ resources: { requests: { cpu: '1', 'nvidia.com/gpu': '1' } } }) },
      'the resource nvidia.com/gpu is not registered yet',
    ],
  ])('it is not initialized while %s (D7)', (...[, node, over, message]) => {
    const { actions, blocked } = joining({ ...node, labels: registered }, over);
    expect(actions).toEqual([]);
    expect(blocked).toMatchObject([{ reason: 'NotInitialized', message }]);
  });

  test('an initialized node is next looked at when it expires (D14)', () => {
    const labels = { ...registered, 'karpenter.sh/initialized': 'true' };
    expect(joining({ labels })).toMatchObject({
      actions: [],
      blocked: [],
      due: [{ atMs: NOW_MS + 720 * HOUR, kind: 'expiration' }],
    });
    expect(joining({ labels }, { spec: claimSpec({ expireAfter: 'Never' }) }).due).toEqual([]);
  });
});
