/** What Kerf writes to a real API server: printed as by Karpenter, accepted completely, never over another client's write. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import type { NodePool } from '../../lib/apis/node-pool.ts';
import { nodeTarget } from '../../lib/core/model/node-patch.ts';
import { isShownBy, mirrorOf } from '../../lib/core/node-claim/mirror/mirror.ts';
import { registrationPatch } from '../../lib/core/node-claim/registration.ts';
import { decideNodePool } from '../../lib/core/node-pool/decide-node-pool.ts';
import { ConflictError } from '../../lib/ports/errors.ts';
import type { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { launchedClaim } from '../builders/node-claims.ts';
import { MINUTE, NOW_MS } from '../builders/times.ts';
import { listAt, textAt } from '../stack/json.ts';
import { adminClient, callApi, mergePatch, read, succeed } from './support/api-client.ts';
import {
  COLLECTIONS,
  create,
  install,
  installDefinitions,
  removeAll,
  shippedDefinitions,
} from './support/resources.ts';
import { aNodeClaim, aNodePool } from './support/samples.ts';

const NODES = '/api/v1/nodes';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';

let client: ApiClient;
let cluster: KubernetesCluster;
let nowMs = NOW_MS;

beforeAll(async () => {
  await installDefinitions();
  client = adminClient();
  cluster = new KubernetesCluster({ client, clock: { now: () => nowMs } });
});
afterEach(async () => {
  for (const { metadata } of await cluster.listNodeClaims()) await cluster.removeNodeClaim(metadata.name);
  await removeAll();
  nowMs = NOW_MS;
});
afterAll(() => client.close());

const RECORD = launchedClaim({ nodeName: 'node-1', registeredAtMs: NOW_MS, initializedAtMs: NOW_MS });

async function thePool(): Promise<NodePool> {
  const [found] = await cluster.listNodePools();
  if (found === undefined) throw new Error('there is no NodePool');
  return found;
}

const lookAt = (nodePool: NodePool) => ({ nodePool, records: [RECORD], nodes: new Map() });

/** As `kubectl get` requests it: the columns, and the cells of the first row. */
async function table(path: string): Promise<Readonly<Record<string, unknown>>> {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const { body } = await succeed({ method: 'GET', path, headers: { accept } });
  const [row] = listAt(body, 'rows');
  const cells = listAt(row, 'cells');
  return Object.fromEntries(
    listAt(body, 'columnDefinitions').map((column, index) => [textAt(column, 'name'), cells[index]]),
  );
}

describe('kubectl get', () => {
  test('nodepools has the columns that Karpenter has (A1.2)', async () => {
    await create(aNodePool({ weight: 7 }));
    const pool = await thePool();
    await cluster.patchNodePool(pool, decideNodePool(lookAt(pool), NOW_MS) ?? {});
    const shown = await table(COLLECTIONS.NodePool);
    expect(shown).toMatchObject({ Name: 'general', NodeClass: 'default', Nodes: '1', Ready: 'False' });
    expect(shown).toMatchObject({ Weight: 7, CPU: '2', Memory: '8Gi', Age: expect.any(String) });
    const ordinary = ['Name', 'NodeClass', 'Nodes', 'Ready', 'Age'];
    expect(Object.keys(shown)).toEqual([...ordinary, 'Weight', 'CPU', 'Memory']);
  });

  test('nodeclaims has the columns that Karpenter has (A2.7)', async () => {
    await cluster.applyNodeClaim(mirrorOf(RECORD));
    const shown = await table(COLLECTIONS.NodeClaim);
    expect(shown).toMatchObject({
      Type: 'm5.large',
      Capacity: 'on-demand',
      Zone: 'eu-west-3a',
      Node: 'node-1',
      Ready: 'True',
    });
    expect(shown).toMatchObject({
      ImageID: 'ami-amd64',
      ID: 'aws:///eu-west-3a/i-1',
      NodePool: 'general',
      NodeClass: 'default',
    });
    const ordinary = ['Name', 'Type', 'Capacity', 'Zone', 'Node', 'Ready', 'Age'];
    expect(Object.keys(shown)).toEqual([...ordinary, 'ImageID', 'ID', 'NodePool', 'NodeClass', 'Drifted']);
  });
});

describe('a quiet minute writes nothing', () => {
  test('the server returns a NodePool as it was written', async () => {
    await create(aNodePool());
    const pool = await thePool();
    await cluster.patchNodePool(pool, decideNodePool(lookAt(pool), NOW_MS) ?? {});
    expect(decideNodePool(lookAt(await thePool()), NOW_MS + MINUTE)).toBeUndefined();
  });

  test('the server returns a NodeClaim as it was written, in each state', async () => {
    const deletion = {
      reason: 'empty',
      message: 'is empty',
      requestedAtMs: NOW_MS,
      deadlineMs: NOW_MS + MINUTE,
    } as const;
    const ended = { ...deletion, drainStartedAtMs: NOW_MS, terminateRequestedAtMs: NOW_MS };
    const states = [launchedClaim(), RECORD, { ...RECORD, deletion }, { ...RECORD, deletion: ended }];
    for (const record of states) {
      const [before] = await cluster.listNodeClaims();
      await cluster.applyNodeClaim(mirrorOf(record, { mirror: before }));
      const [mirror] = await cluster.listNodeClaims();
      expect(isShownBy(record, { mirror })).toBe(true);
    }
  });
});

describe('NodeClaims', () => {
  test('one that is deleted stays until our finalizer is off, and then for the finalizers of others (D17)', async () => {
    await cluster.applyNodeClaim(mirrorOf(RECORD));
    const path = `${COLLECTIONS.NodeClaim}/${RECORD.name}`;
    await mergePatch(path, { metadata: { finalizers: ['karpenter.sh/termination', 'example.com/theirs'] } });
    await cluster.deleteNodeClaim(RECORD.name);
    const [going] = await cluster.listNodeClaims();
    expect(going?.metadata.deletionTimestamp).toBeDefined();
    await cluster.applyNodeClaim(mirrorOf(RECORD, { mirror: going }));
    await cluster.removeNodeClaim(RECORD.name);
    const [left] = await cluster.listNodeClaims();
    expect(left?.metadata.finalizers).toEqual(['example.com/theirs']);
    // Without ours it is still brought up to date, and gets no finalizer back.
    await cluster.applyNodeClaim(mirrorOf({ ...RECORD, nodeName: 'node-2' }, { mirror: left }));
    await mergePatch(path, { metadata: { finalizers: [] } });
    expect(await cluster.listNodeClaims()).toEqual([]);
  });

  test('one that was removed after it was listed is not created again, and another object of its name does not change', async () => {
    await cluster.applyNodeClaim(mirrorOf(RECORD));
    const [mirror] = await cluster.listNodeClaims();
    await cluster.removeNodeClaim(RECORD.name);
    const again = async (): Promise<void> => cluster.applyNodeClaim(mirrorOf(RECORD, { mirror }));
    await expect(again()).rejects.toBeInstanceOf(ConflictError);
    expect(await cluster.listNodeClaims()).toEqual([]);
    await cluster.applyNodeClaim(mirrorOf(RECORD));
    await expect(again()).rejects.toBeInstanceOf(ConflictError);
    await cluster.removeNodeClaim(RECORD.name);
  });

  test('D4: a later write keeps the labels of the instance type, and removes those of a reservation that has ended', async () => {
    const instanceLabels = { 'kubernetes.io/arch': 'amd64', 'karpenter.k8s.aws/instance-cpu': '2' };
    const reservation = { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' };
    const reserved = { ...RECORD, labels: { ...RECORD.labels, ...reservation } };
    await cluster.applyNodeClaim(mirrorOf(reserved, { instanceLabels }));
    const [first] = await cluster.listNodeClaims();
    expect(first?.metadata.labels).toMatchObject({ ...instanceLabels, ...reservation });
    await cluster.applyNodeClaim(mirrorOf(RECORD, { mirror: first }));
    const [mirror] = await cluster.listNodeClaims();
    expect(mirror?.metadata.labels).toMatchObject({ ...instanceLabels, ...RECORD.labels });
    expect(mirror?.metadata.labels).not.toHaveProperty('karpenter.k8s.aws/capacity-reservation-id');
    expect(isShownBy(RECORD, { mirror })).toBe(true);
  });

  test('it names its NodePool as its owner, by the UID that the server gave (A1.29)', async () => {
    await create(aNodePool());
    const nodePool = await thePool();
    await cluster.applyNodeClaim(mirrorOf(RECORD, { nodePool }));
    const [mirror] = await cluster.listNodeClaims();
    expect(mirror?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        name: 'general',
        uid: nodePool.metadata.uid,
        blockOwnerDeletion: true,
      },
    ]);
  });
});

describe('a NodeClaim that another program showed before', () => {
  const path = `${COLLECTIONS.NodeClaim}/${RECORD.name}`;
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const consolidatable = { type: 'Consolidatable', status: 'True', reason: 'Consolidatable', message: '' };
  const consistent = { ...consolidatable, type: 'ConsistentStateFound', reason: 'ConsistentStateFound' };

  /** As Karpenter leaves it: nothing in it was applied. */
  async function shownByAnother(): Promise<void> {
    const { status, ...object } = mirrorOf(RECORD);
    await succeed({ method: 'POST', path: COLLECTIONS.NodeClaim, body: object });
    const others = [consolidatable, consistent].map((one) => ({ ...one, lastTransitionTime }));
    const conditions = [...(status?.conditions ?? []), ...others];
    const capacity = { ...status?.capacity, 'vpc.amazonaws.com/pod-eni': '9' };
    await mergePatch(`${path}/status`, {
      status: { ...status, conditions, capacity, lastPodEventTime: lastTransitionTime },
    });
  }

  test('has the content of its record after one write, and keeps conditions of others', async () => {
    await shownByAnother();
    const [before] = await cluster.listNodeClaims();
    await cluster.applyNodeClaim(mirrorOf(RECORD, { mirror: before }));
    const [mirror] = await cluster.listNodeClaims();
    expect(isShownBy(RECORD, { mirror })).toBe(true);
    const types = mirror?.status?.conditions?.map(({ type }) => type);
    expect(types).toEqual(['Launched', 'Registered', 'Initialized', 'Ready', 'ConsistentStateFound']);
  });

  test('keeps a spec with less content than its record, because a spec cannot change (A2.1)', async () => {
    await create({ ...aNodeClaim({ resources: {}, taints: [] }), metadata: { name: RECORD.name } });
    const [mirror] = await cluster.listNodeClaims();
    await cluster.applyNodeClaim(mirrorOf(RECORD, { mirror }));
    const [shown] = await cluster.listNodeClaims();
    expect(shown?.spec).toEqual(mirror?.spec);
    expect(isShownBy(RECORD, { mirror: shown })).toBe(true);
  });

  test('is accepted by a CRD that lacks some fields of its status', async () => {
    const definition = shippedDefinitions().find(({ name }) => name === 'nodeclaims.karpenter.sh');
    if (definition === undefined) throw new Error('there is no definition of NodeClaims');
    const manifest = JSON.stringify(parse(definition.manifest), (key, value) =>
      key === 'imageID' ? undefined : value,
    );
    await install({ ...definition, manifest });
    await vi.waitFor(async () => {
      await cluster.applyNodeClaim(mirrorOf(RECORD));
      const [mirror] = await cluster.listNodeClaims();
      expect(mirror?.status).not.toHaveProperty('imageID');
    }, 10_000);
    const [mirror] = await cluster.listNodeClaims();
    expect(mirror?.status).toMatchObject({ nodeName: 'node-1', providerID: 'aws:///eu-west-3a/i-1' });
    await install(definition);
  });
});

describe('nodes', () => {
  const path = `${NODES}/node-1`;
  const node = async () => {
    const found = await cluster.readNode('node-1');
    if (found === undefined) throw new Error('there is no node-1');
    return found;
  };

  test('a late registration removes no finalizer and no owner of others (D6)', async () => {
    await cluster.applyNodeClaim(mirrorOf(RECORD));
    const [mirror] = await cluster.listNodeClaims();
    const metadata = { name: 'node-1', finalizers: ['example.com/first'] };
    await succeed({ method: 'POST', path: NODES, body: { apiVersion: 'v1', kind: 'Node', metadata } });
    const needs = { instanceLabels: {}, mirrorUid: mirror?.metadata.uid };
    const seen = await node();
    await mergePatch(path, { metadata: { finalizers: ['example.com/first', 'example.com/second'] } });
    const late = cluster.patchNode(nodeTarget(seen), registrationPatch(RECORD, seen, needs));
    await expect(late).rejects.toBeInstanceOf(ConflictError);
    const fresh = await node();
    await cluster.patchNode(nodeTarget(fresh), registrationPatch(RECORD, fresh, needs));
    const { finalizers, ownerReferences, labels } = (await node()).metadata;
    expect(finalizers).toEqual(['example.com/first', 'example.com/second', 'karpenter.sh/termination']);
    expect(ownerReferences).toMatchObject([{ kind: 'NodeClaim', name: 'general-1', blockOwnerDeletion: true }]);
    expect(labels).toMatchObject({ 'karpenter.sh/registered': 'true' });
    const writers = listAt(await read(path), 'metadata', 'managedFields').map((one) => textAt(one, 'manager'));
    expect(writers).toContain('kerf');
    await mergePatch(path, { metadata: { finalizers: [] } });
    await cluster.deleteNode('node-1');
  });
});

describe('events', () => {
  test('a repeated event becomes a series of the same event (F16)', async () => {
    const regarding = { kind: 'Node', name: 'node-9', uid: 'node-9' } as const;
    const event = { regarding, type: 'Normal', reason: 'DisruptionBlocked', message: 'Cannot disrupt Node' } as const;
    const said = async () =>
      listAt(await read(EVENTS), 'items').filter((one) => textAt(one, 'regarding', 'name') === 'node-9');
    for (const afterMs of [0, MINUTE, 2 * MINUTE, 3 * MINUTE]) {
      nowMs = NOW_MS + afterMs;
      await cluster.publishEvent(event);
    }
    expect(await said()).toMatchObject([{ series: { count: 2 }, reportingController: 'kerf', note: event.message }]);
  });

  test('a message is cut to the bytes that the server takes, and between two letters', async () => {
    const regarding = { kind: 'Node', name: 'node-8' } as const;
    await cluster.publishEvent({ regarding, type: 'Normal', reason: 'Evicted', message: `a${'🚀'.repeat(300)}` });
    const said = listAt(await read(EVENTS), 'items').filter((one) => textAt(one, 'regarding', 'name') === 'node-8');
    expect(said.map((one) => textAt(one, 'note'))).toEqual([`a${'🚀'.repeat(255)}`]);
  });
});

describe('in a namespace that is being deleted', () => {
  const namespace = '/api/v1/namespaces/going';
  const pod = `${namespace}/pods/web`;
  const denied = `${namespace}/pods/denied`;
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
  const WHY = 'this pod must not be deleted';

  /** Denies the deletion of one pod. */
  async function createPolicy(): Promise<void> {
    const metadata = { name: 'keep-pods' };
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['DELETE'] };
    const validations = [{ expression: "!('keep' in oldObject.metadata.?labels.orValue({}))", message: WHY }];
    const spec = { matchConstraints: { resourceRules: [rule] }, validations };
    await succeed({ method: 'POST', path: policies, body: { metadata, spec } });
    const binding = { metadata, spec: { policyName: 'keep-pods', validationActions: ['Deny'] } };
    await succeed({ method: 'POST', path: bindings, body: binding });
    await vi.waitFor(async () => {
      const { body } = await callApi({ method: 'DELETE', path: denied, query: { dryRun: 'All' } });
      expect(textAt(body, 'message')).toContain(WHY);
    }, 20_000);
  }

  /** A pod that a finalizer keeps there, and the namespace with it; and a pod whose deletion a policy denies. */
  beforeAll(async () => {
    await succeed({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'going' } } });
    const metadata = { name: 'web', finalizers: ['example.com/kept'] };
    const spec = { containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }], nodeName: 'node-7' };
    const body = { metadata, spec };
    await vi.waitFor(async () => await succeed({ method: 'POST', path: `${namespace}/pods`, body }), 10_000);
    const kept = { metadata: { name: 'denied', labels: { keep: 'true' } }, spec };
    await succeed({ method: 'POST', path: `${namespace}/pods`, body: kept });
    await createPolicy();
    await succeed({ method: 'DELETE', path: namespace });
  });
  afterAll(async () => {
    await succeed({ method: 'DELETE', path: `${bindings}/keep-pods` });
    await succeed({ method: 'DELETE', path: `${policies}/keep-pods` });
    await mergePatch(denied, { metadata: { labels: { keep: null } } });
    await mergePatch(pod, { metadata: { finalizers: [] } });
  });

  test('no event can be created, and this is not a failure', async () => {
    const regarding = { kind: 'Pod', namespace: 'going', name: 'web' } as const;
    await cluster.publishEvent({ regarding, type: 'Normal', reason: 'Evicted', message: 'Evicted pod' });
  });

  test('a pod is deleted without an eviction', async () => {
    const uid = textAt(await read(pod), 'metadata', 'uid');
    expect(await cluster.evictPod({ namespace: 'going', name: 'web', uid })).toEqual({ kind: 'evicted' });
  });

  test('a pod whose deletion a policy denies is refused, with the reason of the policy', async () => {
    const uid = textAt(await read(denied), 'metadata', 'uid');
    const evicted = cluster.evictPod({ namespace: 'going', name: 'denied', uid });
    await expect(evicted).rejects.toThrow(`delete going/denied: 422`);
    await expect(evicted).rejects.toThrow(WHY);
  });
});
