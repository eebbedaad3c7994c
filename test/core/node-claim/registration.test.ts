import { describe, expect, test } from 'vitest';
import { formatTime } from '../../../lib/apis/formats/time.ts';
import { GRACEFUL_EXPIRATION } from '../../../lib/apis/labels.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { decideLifecycle } from '../../../lib/core/node-claim/lifecycle.ts';
import { deletionOf, viewOf } from '../../builders/claim-view.ts';
import { claimSpec, launchedClaim } from '../../builders/node-claims.ts';
import { asking } from '../../builders/node-pools.ts';
import { aNode, type NodeOptions } from '../../builders/nodes.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const LIMIT = { initializationTimeoutMs: 20 * MINUTE };

/** The node was registered at the launch, and missing for the first time an hour later. */
const LOST = { nodeName: 'node-1', registeredAtMs: NOW_MS, initializedAtMs: NOW_MS, nodeLostAtMs: NOW_MS + HOUR };

describe('D5: a node with the label of the registration and the unregistered taint', () => {
  const spec = claimSpec({
    taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
    startupTaints: [{ key: 'cni', effect: 'NoSchedule' }],
  });
  const { taints = [], startupTaints = [] } = spec;
  const unregistered = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' } as const;
  const registered = { 'karpenter.sh/registered': 'true' };

  test('is registered as one without the label', () => {
    const [labelled, plain] = [registered, {}].map((labels) =>
      decideLifecycle(viewOf(launchedClaim({ spec }), { node: aNode({ labels, taints: [unregistered] }) }), NOW_MS),
    );
    expect(labelled).toEqual(plain);
    const patch = { taints: [...taints, ...startupTaints], finalizers: ['karpenter.sh/termination'] };
    expect(labelled?.actions).toMatchObject([{ kind: 'register-node', patch }]);
  });

  test('is replaced if it could not be registered for 15 minutes (D8)', () => {
    const tried = { lastTriesSinceMs: NOW_MS + 14 * MINUTE };
    const view = viewOf(launchedClaim(tried), { node: aNode({ labels: registered, taints: [unregistered] }) });
    expect(deletionOf(view, NOW_MS + 15 * MINUTE)).toBe('registration_timeout');
  });

  test('loses the taint and gets no startup taints if it was initialized before', () => {
    const labels = { ...registered, 'karpenter.sh/initialized': 'true' };
    const known = { nodeName: 'node-1', registeredAtMs: NOW_MS - HOUR, initializedAtMs: NOW_MS - HOUR };
    const node = aNode({ labels, taints: [...taints, unregistered] });
    const { actions } = decideLifecycle(viewOf(launchedClaim({ spec, ...known }), { node }), NOW_MS);
    expect(actions).toMatchObject([{ kind: 'register-node', patch: { taints } }]);
  });
});

describe('registration and initialization', () => {
  const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' }] as const;
  const startupTaints = [{ key: 'cni', effect: 'NoSchedule' }] as const;
  const later = { ...startupTaints[0], value: 'later' };
  const unregistered = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' } as const;
  const registered = { 'karpenter.sh/registered': 'true' };
  const ofClass = { 'karpenter.k8s.aws/ec2nodeclass': 'default' };

  function joining(node: NodeOptions, over: Partial<NodeClaimRecord> = {}) {
    const record = launchedClaim({ spec: claimSpec({ taints, startupTaints }), annotations: { note: 'x' }, ...over });
    const view = viewOf(record, { node: aNode(node), instanceLabels: { 'karpenter.k8s.aws/instance-cpu': '2' } });
    return decideLifecycle(view, NOW_MS);
  }

  test('after the registration, only a node that is ready already is reconciled without an event of it', () => {
    const again = { atMs: NOW_MS + SECOND, kind: 'settling' };
    expect(joining({ taints: [unregistered] }).due).toContainEqual(again);
    expect(joining({ taints: [unregistered], ready: false }).due).not.toContainEqual(again);
  });

  test('registration adds labels, taints and finalizer, and removes the unregistered taint (D6)', () => {
    const verdict = joining({
      taints: [unregistered, { key: 'other', effect: 'NoSchedule' }],
      finalizers: ['x'],
      resourceVersion: '7',
    });
    expect(verdict.record).not.toHaveProperty('registeredAtMs');
    expect(verdict.whenDone).toMatchObject({ nodeName: 'node-1', registeredAtMs: NOW_MS });
    expect(verdict.actions).toEqual([
      {
        kind: 'register-node',
        nodeClaim: 'general-1',
        node: { name: 'node-1', resourceVersion: '7' },
        patch: {
          labels: {
            'karpenter.k8s.aws/instance-cpu': '2',
            'karpenter.k8s.aws/instance-tenancy': 'default',
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

  test('D4: labels of the claim override those of its instance type', () => {
    const key = 'karpenter.k8s.aws/instance-cpu';
    const [action] = joining({ taints: [unregistered] }, { labels: { [key]: '96' } }).actions;
    expect(action).toMatchObject({
      patch: { labels: { [key]: '96', 'node.kubernetes.io/instance-type': 'm5.large' } },
    });
  });

  test('taints that the node already has are not added again (D6)', () => {
    const [action] = joining({ taints: [...taints, unregistered] }).actions;
    expect(action).toMatchObject({ patch: { taints: [...taints, ...startupTaints] } });
    // Kubernetes refuses a node with the same key and effect twice.
    const [beside] = joining({ taints: [later, unregistered] }).actions;
    expect(beside).toMatchObject({ patch: { taints: [later, ...taints] } });
  });

  test('a node with the label do-not-sync-taints keeps its taints (D6)', () => {
    const [action] = joining({ labels: { 'karpenter.sh/do-not-sync-taints': 'true' }, taints: [unregistered] }).actions;
    expect(action).toMatchObject({ patch: { taints: [] } });
  });

  test('the registration of a node is recorded when it is observed, if the run that registered it was cut off', () => {
    const { record } = joining({ labels: registered, ready: false });
    expect(record).toMatchObject({ nodeName: 'node-1', registeredAtMs: NOW_MS });
    const known = { nodeName: 'node-1', registeredAtMs: NOW_MS - MINUTE };
    expect(joining({ labels: registered, ready: false }, known).record).toMatchObject(known);
  });

  test('a registered node that is missing is recorded as lost once, and has 15 minutes to return', () => {
    const known = launchedClaim({ registeredAtMs: NOW_MS - HOUR, initializedAtMs: NOW_MS - HOUR });
    const { record, actions, due } = decideLifecycle(viewOf(known), NOW_MS);
    expect(record).toEqual({ ...known, nodeLostAtMs: NOW_MS });
    expect([actions, due]).toEqual([[], [{ atMs: NOW_MS + 15 * MINUTE, kind: 'settling' }]]);
    expect(decideLifecycle(viewOf(record), NOW_MS + MINUTE).record).toBe(record);
  });

  test('a node that returns without the registration is registered and initialized again', () => {
    const again = joining({ taints: [unregistered] }, LOST);
    expect(again.actions).toMatchObject([
      {
        kind: 'register-node',
        patch: { taints: [...taints, ...startupTaints], finalizers: ['karpenter.sh/termination'] },
      },
    ]);
    expect(again.record.nodeLostAtMs).toBe(NOW_MS + HOUR);
    expect(again.whenDone).toMatchObject({ nodeName: 'node-1', registeredAtMs: NOW_MS });
    expect(again.whenDone).not.toHaveProperty('nodeLostAtMs');
    expect(again.whenDone).not.toHaveProperty('initializedAtMs');
  });

  test('an initialized node whose label of the registration was removed gets no startup taints again (D6)', () => {
    const known = { registeredAtMs: NOW_MS - HOUR, initializedAtMs: NOW_MS - 30 * MINUTE };
    const created = (agoMs: number) => ({ creationTimestamp: formatTime(NOW_MS - agoMs), taints });
    const patchOf = (node: NodeOptions) => {
      const { actions, blocked } = joining(node, known);
      return [actions.flatMap((one) => (one.kind === 'register-node' ? [one.patch.taints] : [])), blocked.length];
    };
    expect(patchOf(created(HOUR))).toEqual([[taints], 0]);
    expect(patchOf({ labels: { 'karpenter.sh/initialized': 'true' }, taints })).toEqual([[taints], 0]);
    expect(patchOf(created(MINUTE)), 'a new Node object of the same instance').toEqual([
      [[...taints, ...startupTaints]],
      1,
    ]);
  });

  test('a new Node object without the registration is recorded as lost before it is registered', () => {
    const { record } = joining({ taints: [unregistered] }, { registeredAtMs: NOW_MS - HOUR });
    expect(record.nodeLostAtMs).toBe(NOW_MS);
  });

  test('a node that returns with its labels is no longer lost', () => {
    const labels = { ...registered, ...ofClass, 'karpenter.sh/initialized': 'true' };
    const { record, actions } = joining({ labels }, LOST);
    expect(actions).toEqual([]);
    expect(record).toMatchObject({ registeredAtMs: NOW_MS, initializedAtMs: NOW_MS });
    expect(record).not.toHaveProperty('nodeLostAtMs');
  });

  test('a node that meets all conditions is initialized (D7)', () => {
    const { record, whenDone, actions } = joining({ labels: registered, taints });
    expect(record).not.toHaveProperty('initializedAtMs');
    expect(whenDone?.initializedAtMs).toBe(NOW_MS);
    expect(actions).toMatchObject([
      { kind: 'initialize-node', patch: { labels: { 'karpenter.sh/initialized': 'true' } } },
    ]);
  });

  test('the initialization of a node is recorded when it is observed, if the run that initialized it was cut off', () => {
    const labels = { ...registered, ...ofClass, 'karpenter.sh/initialized': 'true' };
    expect(joining({ labels }).record.initializedAtMs).toBe(NOW_MS);
    const known = { registeredAtMs: NOW_MS - MINUTE, initializedAtMs: NOW_MS - MINUTE };
    expect(joining({ labels }, known).record).toMatchObject(known);
  });

  test('and nominated for the pods that it was launched for, until they are bound (B5)', () => {
    expect(joining({ labels: registered, taints }, { pods: ['default/web-1'] }).actions).toMatchObject([
      { kind: 'initialize-node' },
      { kind: 'nominate-node', node: 'node-1', pods: ['default/web-1'] },
    ]);
  });

  test('but not for virtual pods of CapacityBuffers, which are never bound (B65)', () => {
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
    ['it has a startup taint', { taints: startupTaints }, {}, 'the node still has the taint cni:NoSchedule'],
    ['its startup taint differs', { taints: [later] }, {}, 'the node still has the taint cni=later:NoSchedule'],
    [
      'it has an ephemeral taint',
      { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
      {},
      'the node still has the taint node.kubernetes.io/not-ready:NoSchedule',
    ],
    [
      'a device is not registered',
      { allocatable: { cpu: '2', 'nvidia.com/gpu': '0' } },
      { spec: claimSpec({ resources: { requests: { cpu: '1', 'nvidia.com/gpu': '1' } } }) },
      'the resource nvidia.com/gpu is not registered yet',
    ],
  ])('it is not initialized while %s (D7)', (...[, node, over, message]) => {
    const { actions, blocked } = joining({ ...node, labels: registered }, over);
    expect(actions).toEqual([]);
    expect(blocked).toMatchObject([{ reason: 'NodeNotInitialized', message }]);
  });

  test('a node that is not initialized within the limit is deleted with what it lacks, and reconciled at that time', () => {
    const record = launchedClaim({ registeredAtMs: NOW_MS, nodeName: 'node-1' });
    const node = aNode({ labels: registered, ready: false });
    const view = viewOf(record, { node, ...LIMIT });
    expect(decideLifecycle(view, NOW_MS + MINUTE).due).toContainEqual({ atMs: NOW_MS + 20 * MINUTE, kind: 'settling' });
    expect(decideLifecycle(view, NOW_MS + 20 * MINUTE).actions).toMatchObject([
      {
        kind: 'delete-node-claim',
        message: 'node node-1 was not initialized within 20 minutes after its registration: the node is not Ready',
      },
    ]);
  });

  test('D11: a claim and an initialized node without the label of their EC2NodeClass get it', () => {
    const node = aNode({ labels: { ...registered, 'karpenter.sh/initialized': 'true' }, resourceVersion: '7' });
    const record = launchedClaim({ registeredAtMs: NOW_MS, nodeName: 'node-1', initializedAtMs: NOW_MS, labels: {} });
    const labels = ofClass;
    const verdict = decideLifecycle(viewOf(record, { node }), NOW_MS);
    expect(verdict.record).toEqual({ ...record, labels });
    expect(verdict.actions).toEqual([
      {
        kind: 'register-node',
        nodeClaim: 'general-1',
        node: { name: 'node-1', resourceVersion: '7' },
        patch: { labels },
      },
    ]);
    const complete = aNode({ labels: { ...node.metadata.labels, ...labels } });
    const next = decideLifecycle(viewOf(verdict.record, { node: complete }), NOW_MS);
    expect(next).toMatchObject({ record: verdict.record, actions: [] });
  });

  test('D11: a node that is initialized gets the label in the same write', () => {
    const [action] = joining({ labels: registered, taints }).actions;
    expect(action).toMatchObject({
      patch: { labels: { ...ofClass, 'karpenter.sh/initialized': 'true' } },
    });
  });

  test('an initialized node is next reconciled when it expires (D14)', () => {
    const labels = { ...registered, ...ofClass, 'karpenter.sh/initialized': 'true' };
    expect(joining({ labels })).toMatchObject({
      actions: [],
      blocked: [],
      due: [{ atMs: NOW_MS + 720 * HOUR, kind: 'expiration' }],
    });
    expect(joining({ labels }, { spec: claimSpec({ expireAfter: 'Never' }) }).due).toEqual([]);
    // An expired node that is kept until it is replaced has no time left: otherwise each run would repeat itself at once.
    const kept = { createdAtMs: NOW_MS - 2 * HOUR, spec: claimSpec({ expireAfter: '1h' }) };
    const graceful = (grace: string) => joining({ labels }, { ...kept, annotations: { [GRACEFUL_EXPIRATION]: grace } });
    expect(graceful('Never').due).toEqual([]);
    expect(graceful('90m').due).toEqual([{ atMs: NOW_MS + HOUR / 2, kind: 'expiration' }]);
  });
});

describe('C19: the registration adds the tenancy of the instance', () => {
  const TENANCY = 'karpenter.k8s.aws/instance-tenancy';

  test.each([
    ['default without a requirement', [], 'default'],
    ['default if both are allowed', [asking(TENANCY, 'In', 'dedicated', 'default')], 'default'],
    ['default if the label must exist', [asking(TENANCY, 'Exists')], 'default'],
    ['dedicated if only dedicated is allowed', [asking(TENANCY, 'In', 'dedicated')], 'dedicated'],
    ['dedicated if default is excluded', [asking(TENANCY, 'NotIn', 'default')], 'dedicated'],
  ])('%s', (_, requirements, tenancy) => {
    const record = launchedClaim({ spec: claimSpec({ requirements }) });
    const { actions } = decideLifecycle(viewOf(record, { node: aNode() }), NOW_MS);
    expect(actions).toMatchObject([{ kind: 'register-node', patch: { labels: { [TENANCY]: tenancy } } }]);
  });

  test('the label of a claim that Karpenter has launched takes precedence', () => {
    const record = launchedClaim({ labels: { [TENANCY]: 'dedicated' } });
    const { actions } = decideLifecycle(viewOf(record, { node: aNode() }), NOW_MS);
    expect(actions).toMatchObject([{ kind: 'register-node', patch: { labels: { [TENANCY]: 'dedicated' } } }]);
  });
});
