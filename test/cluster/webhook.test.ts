/** Which writes reach the webhook: each rule matches its own, and no rule matches frequent writes or those of Kerf. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { syncWebhook } from '../../lib/controllers/install/sync-webhook.ts';
import { DEFAULT_SETTINGS } from '../../lib/core/model/settings.ts';
import type { WebhookRegistration } from '../../lib/ports/webhook-registration.ts';
import type { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { MINUTE, NOW_MS } from '../builders/times.ts';
import { anEvent, type EventFields } from '../rig/events.ts';
import { startFakeKubelet } from '../rig/fake-kubelet.ts';
import { registrationAt, serveWebhook, type WebhookEndpoint } from '../rig/webhook-endpoint.ts';
import { clearCluster, createDeployment } from '../rig/workloads.ts';
import { at, listAt, textAt } from '../stack/json.ts';
import { adminClient, type Call, callApi, mergePatch, read, succeed } from './support/api-client.ts';
import { installRoles, speakingFor } from './support/identities.ts';
import { create, installDefinitions, pathOf, removeAll } from './support/resources.ts';
import { aNodeClaim, aNodeClass, aNodePool } from './support/samples.ts';

const WAIT = { timeout: 30_000, interval: 50 };
const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/kerf';
const NODES = '/api/v1/nodes';
/** The user whose writes test the rules, because the controllers of the rig also write to nodes. */
const ADMIN = 'admin';

let endpoint: WebhookEndpoint;
let client: ApiClient;

function registrationOf(secret?: string): WebhookRegistration {
  return registrationAt(endpoint.endpoint, client, secret);
}

beforeAll(async () => {
  endpoint = await serveWebhook();
  client = adminClient();
  await installDefinitions();
  await installRoles();
  await clearCluster();
  await registrationOf().create();
  await inForce();
});
beforeEach(() => {
  endpoint.reviews.length = 0;
  endpoint.woken.length = 0;
  endpoint.health = 'answers';
});
afterEach(async () => {
  await clearCluster();
  await removeAll();
});
afterAll(async () => {
  await callApi({ method: 'DELETE', path: CONFIGURATION });
  await endpoint.close();
  client.close();
});

/** A configuration is in force about a second after it was written. */
async function inForce(): Promise<void> {
  const before = endpoint.reviews.length;
  await vi.waitFor(async () => {
    await anEvent();
    expect(endpoint.reviews.length).toBeGreaterThan(before);
  }, WAIT);
}

interface NodeFields {
  /** @default true */
  readonly ours?: boolean;
  readonly initialized?: boolean;
  readonly taints?: readonly unknown[];
}

async function aNode(name: string, { ours = true, initialized = false, taints = [] }: NodeFields = {}): Promise<void> {
  const labels = {
    ...(ours && { 'karpenter.sh/nodepool': 'general' }),
    ...(initialized && { 'karpenter.sh/initialized': 'true' }),
  };
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: { taints } };
  await succeed({ method: 'POST', path: NODES, body });
}

async function setReady(name: string, status: string): Promise<void> {
  const lastHeartbeatTime = new Date().toISOString();
  const patched = await mergePatch(`${NODES}/${name}/status`, {
    status: { conditions: [{ type: 'Ready', status, lastHeartbeatTime, reason: 'Rig', message: 'played' }] },
  });
  expect(patched.status).toBe(200);
}

async function patch(path: string, body: unknown): Promise<void> {
  await succeed({ method: 'PATCH', path, headers: { 'content-type': 'application/merge-patch+json' }, body });
}

/**
 * The webhook's calls for each write: the API server calls before it answers. Repeated calls count once: after a conflict with
 * another writer, the API server retries a patch and calls again.
 */
async function told(...writes: readonly (() => Promise<unknown>)[]): Promise<readonly string[]> {
  const calls: string[] = [];
  for (const write of writes) {
    const before = endpoint.reviews.length;
    await write();
    const reviews = endpoint.reviews.slice(before).filter(({ user }) => user === ADMIN || user.startsWith('arn:'));
    calls.push(...new Set(reviews.map(({ resource, operation }) => `${operation} ${resource}`)));
  }
  return calls;
}

describe('events', () => {
  test.each<[string, EventFields, readonly string[]]>([
    ['of a pod that the scheduler has no node for are told', {}, ['CREATE events']],
    ['of another scheduler too', { controller: 'my-scheduler' }, ['CREATE events']],
    ['of another reason are not', { reason: 'Scheduled' }, []],
    ['of something else than a pod are not', { kind: 'Node' }, []],
    ['that name Kerf as their source are not', { controller: 'kerf' }, []],
    ['that a function of Kerf writes are not', { as: 'provisioning' }, []],
  ])('%s', async (_, fields, calls) => {
    expect(await told(async () => await anEvent(fields))).toEqual(calls);
  });

  test('of the core group are the same objects, and match', async () => {
    const body = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `web-1.${randomUUID()}`, namespace: 'default' },
      involvedObject: { kind: 'Pod', name: 'web-1', namespace: 'default' },
      source: { component: 'default-scheduler' },
      reason: 'FailedScheduling',
      type: 'Warning',
    };
    const path = '/api/v1/namespaces/default/events';
    expect(await told(async () => await succeed({ method: 'POST', path, body }))).toEqual(['CREATE events']);
  });

  test('with which Kerf explains why a pod has no node wake no function', async () => {
    const cluster = new KubernetesCluster({ client, clock: { now: () => NOW_MS } });
    const regarding = { kind: 'Pod', name: 'web-1', namespace: 'default' } as const;
    const event = { regarding, type: 'Warning', reason: 'FailedScheduling', message: 'no pool takes it' } as const;
    expect(await told(async () => await cluster.publishEvent(event))).toEqual([]);
    expect(endpoint.woken).toEqual([]);
  });
});

describe('nodes', () => {
  const STARTUP = { key: 'example.com/agent', effect: 'NoSchedule' };

  test('of a NodePool match when they are created and when they are deleted', async () => {
    expect(await told(async () => await aNode('ours'))).toEqual(['CREATE nodes']);
    const remove: Call = { method: 'DELETE', path: `${NODES}/ours` };
    expect(await told(async () => await succeed(remove))).toEqual(['DELETE nodes']);
    expect(endpoint.woken.every((target) => target === 'lifecycle')).toBe(true);
  });

  test('with a finalizer match once, at the delete request', async () => {
    await aNode('held');
    await patch(`${NODES}/held`, { metadata: { finalizers: ['karpenter.sh/termination'] } });
    const remove: Call = { method: 'DELETE', path: `${NODES}/held` };
    expect(await told(async () => await succeed(remove))).toEqual(['DELETE nodes']);
    expect(await told(async () => await patch(`${NODES}/held`, { metadata: { finalizers: [] } }))).toEqual([]);
  });

  test('match when they become Ready, and at no other heartbeat', async () => {
    await aNode('beats');
    const beats = ['False', 'False', 'Unknown', 'True', 'True', 'True', 'False', 'False', 'True'];
    const calls: string[] = [];
    for (const status of beats) {
      calls.push(...(await told(async () => await setReady('beats', status))));
      // An API server may first ask about a patch of the object as its cache has it, which may be older than the last write.
      await vi.waitFor(async () => expect(await readyOf('beats', '?resourceVersion=0')).toBe(status), WAIT);
    }
    expect(calls).toEqual(['UPDATE nodes/status', 'UPDATE nodes/status']);
  });

  test('match when a startup taint is removed, until they are initialized (D7)', async () => {
    const other = { ...STARTUP, key: 'example.com/other' };
    const taint = async (name: string, ...taints: readonly unknown[]) =>
      await patch(`${NODES}/${name}`, { spec: { taints } });
    await aNode('starts', { taints: [STARTUP] });
    expect(await told(async () => await taint('starts', STARTUP, other))).toEqual([]);
    expect(await told(async () => await taint('starts', other))).toEqual(['UPDATE nodes']);
    // Another node: an API server may first ask about a patch of the object as it was before the last write.
    await aNode('runs', { initialized: true, taints: [other] });
    expect(await told(async () => await taint('runs'))).toEqual([]);
  });

  test('do not match when a label, an annotation or their lease changes, or when Kerf removes the taint', async () => {
    await aNode('quiet', { taints: [STARTUP] });
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'quiet' },
      spec: { holderIdentity: 'quiet' },
    };
    const calls = await told(async () => {
      await patch(`${NODES}/quiet`, { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } });
      await succeed({ method: 'POST', path: leases, body: lease });
      await patch(`${leases}/quiet`, { spec: { leaseDurationSeconds: 7 } });
      const headers = { 'content-type': 'application/merge-patch+json', ...speakingFor('lifecycle') };
      await succeed({ method: 'PATCH', path: `${NODES}/quiet`, headers, body: { spec: { taints: [] } } });
      await succeed({ method: 'DELETE', path: `${NODES}/quiet`, headers: speakingFor('termination') });
    });
    await callApi({ method: 'DELETE', path: `${leases}/quiet` });
    expect(calls).toEqual([]);
  });

  test('with a Custom image, which lack the label, match when they are created and get their provider id (C73)', async () => {
    const uninitialized = { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' };
    const join = async () => await aNode('custom', { ours: false, taints: [uninitialized] });
    expect(await told(join)).toEqual(['CREATE nodes']);
    const initialize = async () => await patch(`${NODES}/custom`, { spec: { taints: [] } });
    expect(await told(initialize)).toEqual(['UPDATE nodes']);
  });

  test('without a NodePool do not match after they have started', async () => {
    await aNode('theirs', { ours: false, taints: [STARTUP] });
    const calls = await told(async () => {
      await setReady('theirs', 'True');
      await patch(`${NODES}/theirs`, { spec: { taints: [] } });
      await succeed({ method: 'DELETE', path: `${NODES}/theirs` });
    });
    expect(calls).toEqual([]);
  });

  test('that a kubelet starts match once for each step: registered, Ready, and each taint that a controller removes', async () => {
    const kubelet = startFakeKubelet({ name: 'boots', labels: { 'karpenter.sh/nodepool': 'general' } });
    try {
      await vi.waitFor(async () => expect(await readyOf('boots')).toBe('True'), WAIT);
      await vi.waitFor(async () => expect(at(await read(`${NODES}/boots`), 'spec', 'taints') ?? []).toEqual([]), WAIT);
      const calls = endpoint.reviews.map(({ resource, operation, user }) => `${operation} ${resource} ${user}`);
      const ofKubelet = calls.filter((call) => call.endsWith('system:node:boots'));
      expect([...new Set(ofKubelet)]).toEqual([
        'CREATE nodes system:node:boots',
        'UPDATE nodes/status system:node:boots',
      ]);
      expect(calls.length).toBeLessThanOrEqual(6);
    } finally {
      await kubelet.die();
    }
  });
});

async function readyOf(name: string, query = ''): Promise<unknown> {
  const conditions = listAt(await read(`${NODES}/${name}${query}`), 'status', 'conditions');
  return at(
    conditions.find((each) => at(each, 'type') === 'Ready'),
    'status',
  );
}

describe('our own kinds', () => {
  test('a NodeClaim matches when a user deletes it, with or without a finalizer, and at no other write', async () => {
    const path = pathOf(aNodeClaim());
    const quiet = await told(async () => {
      await create(aNodeClaim());
      await patch(path, { metadata: { finalizers: ['karpenter.sh/termination'], annotations: { a: 'b' } } });
      await patch(`${path}/status`, { status: { nodeName: 'node-1' } });
    });
    expect(quiet).toEqual([]);
    expect(await told(async () => await succeed({ method: 'DELETE', path }))).toEqual(['DELETE nodeclaims']);
    expect(await told(async () => await patch(path, { metadata: { finalizers: [] } }))).toEqual([]);
  });

  test('a NodeClaim that Kerf deletes wakes no function', async () => {
    await create(aNodeClaim());
    const headers = speakingFor('termination');
    const remove: Call = { method: 'DELETE', path: pathOf(aNodeClaim()), headers };
    expect(await told(async () => await succeed(remove))).toEqual([]);
  });

  test.each([
    ['nodepools', aNodePool(), { weight: 7 }],
    ['ec2nodeclasses', aNodeClass(), { tags: { a: 'b' } }],
  ] as const)('%s are told of when they come, go, or their spec changes', async (resource, sample, change) => {
    const path = pathOf(sample);
    const quiet = async (): Promise<void> => {
      await patch(path, { metadata: { annotations: { a: 'b' }, finalizers: ['kerf.test/held'] } });
      await patch(path, { metadata: { finalizers: [] } });
      await patch(`${path}/status`, { status: { conditions: [] } });
      await patch(path, { spec: change });
    };
    expect(await told(async () => await create(sample))).toEqual([`CREATE ${resource}`]);
    expect(await told(async () => await patch(path, { spec: change }))).toEqual([`UPDATE ${resource}`]);
    expect(await told(quiet)).toEqual([]);
    expect(await told(async () => await succeed({ method: 'DELETE', path }))).toEqual([`DELETE ${resource}`]);
  });
});

function podOf(event: unknown): string {
  return textAt(event, 'regarding', 'name');
}

test('an unschedulable pod reaches the webhook in much less than a second', async () => {
  const PODS = 40;
  const startedMs = performance.now();
  await createDeployment({ name: 'burst', replicas: PODS });
  await vi.waitFor(() => {
    const pods = endpoint.reviews.filter(({ resource }) => resource === 'events').map(({ object }) => podOf(object));
    expect(new Set(pods).size).toBe(PODS);
  }, WAIT);
  const first = new Map<string, number>();
  for (const { resource, object, atMs } of endpoint.reviews) {
    if (resource === 'events' && !first.has(podOf(object))) first.set(podOf(object), atMs - startedMs);
  }
  const waits = [...first.values()].toSorted((a, b) => a - b);
  const percentile = (share: number): string => (waits[Math.ceil(waits.length * share) - 1] ?? 0).toFixed(0);
  console.log(
    `${PODS} pods of one Deployment, from its creation to the call: first ${waits[0]?.toFixed(0)} ms, p50 ${percentile(0.5)} ms, ` +
      `p99 ${percentile(0.99)} ms; ${endpoint.reviews.length} calls`,
  );
  expect(waits[0]).toBeLessThan(5_000);
  expect(new Set(endpoint.woken)).toEqual(new Set(['provisioning']));
});

describe('the tick', () => {
  let nowMs = NOW_MS;

  async function tick(webhook = registrationOf()): Promise<readonly string[]> {
    nowMs += MINUTE;
    const ports = { webhook, clock: { now: () => nowMs }, settings: DEFAULT_SETTINGS };
    return (await syncWebhook(ports, { cluster: 'demo', reason: 'tick' })).map(({ message }) => message);
  }

  const installed = async (): Promise<unknown> => at(await read(CONFIGURATION), 'webhooks') ?? [];

  test('removes a webhook that hangs three times, and restores it when it answers', async () => {
    const { wanted } = registrationOf();
    expect(await tick()).toEqual([]);
    endpoint.health = 'hangs';
    for (const count of [1, 2])
      expect(await tick()).toEqual([expect.stringContaining(`webhook probe ${count} of 3 failed`)]);
    expect(await installed()).toEqual(wanted.webhooks);
    expect(await tick()).toEqual([expect.stringContaining('webhook disabled after 3 failed probes')]);
    expect(await installed()).toEqual([]);
    await vi.waitFor(async () => expect(await told(async () => await anEvent())).toEqual([]), WAIT);
    endpoint.health = 'answers';
    expect(await tick()).toEqual([]);
    expect(await installed()).toEqual(wanted.webhooks);
    await inForce();
  });

  test('restores an edited and a deleted configuration', async () => {
    const { wanted } = registrationOf();
    await patch(CONFIGURATION, { webhooks: [{ ...wanted.webhooks[0], failurePolicy: 'Fail', timeoutSeconds: 30 }] });
    expect(await tick()).toEqual([]);
    expect(await installed()).toEqual(wanted.webhooks);
    await succeed({ method: 'DELETE', path: CONFIGURATION });
    expect(await tick()).toEqual([]);
    expect(await installed()).toEqual(wanted.webhooks);
    await inForce();
  });

  test('writes another secret into the cluster once the functions have it', async () => {
    const rotated = registrationOf('rotated');
    // The endpoint still has the old secret: the failure is counted, and the configuration gets the new secret.
    expect(await tick(rotated)).toEqual([expect.stringContaining('the webhook answered 404')]);
    expect(await installed()).toEqual(rotated.wanted.webhooks);
    expect(await tick()).toEqual([]);
    await inForce();
  });

  test('leaves a configuration alone that is as it must be', async () => {
    await tick();
    const version = async (): Promise<string> => textAt(await read(CONFIGURATION), 'metadata', 'resourceVersion');
    const before = await version();
    await tick();
    expect(await version()).toBe(before);
  });
});
