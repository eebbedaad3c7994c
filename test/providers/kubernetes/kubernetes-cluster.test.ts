import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../../lib/apis/node-claim.ts';
import { textField } from '../../../lib/apis/record.ts';
import type { EventReason } from '../../../lib/core/model/event.ts';
import { ConflictError, RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';
import { ApiClient } from '../../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { NOW_MS } from '../../builders/times.ts';
import { FakeApiServer } from '../../fakes/api-server.ts';
import { textAt } from '../../stack/json.ts';

let server: FakeApiServer;
let client: ApiClient;
let cluster: KubernetesCluster;

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = new ApiClient({ endpoint: server.endpoint, sleep: async () => undefined });
  cluster = new KubernetesCluster({ client, clock: { now: () => NOW_MS } });
});
afterEach(async () => {
  client.close();
  await server.close();
});

const POD = { group: '/api/v1', resource: 'pods', namespace: 'default', name: 'web-1' };
const NODE_CLAIM = { group: '/apis/karpenter.sh/v1', resource: 'nodeclaims', name: 'general-a' };
const lastRequest = () => server.requests.at(-1);

function putPod(over: object = {}): void {
  server.store.put(POD, { spec: { containers: [{ name: 'main' }] }, ...over });
}

describe('lists', () => {
  const many = (count: number) => {
    for (let index = 0; index < count; index += 1) {
      server.store.put({ ...POD, name: `pod-${index}` }, { spec: { containers: [] } });
    }
  };

  test('they are read in pages of 500', async () => {
    many(501);
    expect(await cluster.listPods()).toHaveLength(501);
    expect(server.requests.map(({ query }) => query.get('limit'))).toEqual(['500', '500']);
  });

  test('an expired continue token restarts the list, a few times', async () => {
    many(501);
    server.failNext({ kind: 'status', status: 410 });
    expect(await cluster.listPods()).toHaveLength(501);
    server.failNext(...Array.from({ length: 3 }, () => ({ kind: 'status', status: 410 }) as const));
    await expect(cluster.listPods()).rejects.toBeInstanceOf(UnreachableError);
  });

  test('a response that is not a list is not treated as an empty cluster, regardless of its status', async () => {
    server.failNext({ kind: 'status', status: 200, message: 'sign in to the proxy' });
    await expect(cluster.listNodePools()).rejects.toThrow(/nodepools: the response has status 200 but is not a list/);
  });

  test('pods without a node are selected by the server', async () => {
    await cluster.listUnboundPods();
    expect(lastRequest()?.query.get('fieldSelector')).toBe('spec.nodeName=');
  });

  test('a kind without a CRD has no objects; a missing pods API is an error', async () => {
    for (const path of [
      '/apis/karpenter.sh/v1/nodepools',
      '/apis/karpenter.sh/v1/nodeclaims',
      '/apis/karpenter.sh/v1alpha1/nodeoverlays',
      '/apis/karpenter.k8s.aws/v1/ec2nodeclasses',
      '/apis/autoscaling.x-k8s.io/v1beta1/capacitybuffers',
      '/api/v1/pods',
    ]) {
      server.uninstall(path);
    }
    expect(await cluster.listNodePools()).toEqual([]);
    expect(await cluster.listNodeClaims()).toEqual([]);
    expect(await cluster.listNodeClasses()).toEqual([]);
    expect(await cluster.listNodeOverlays()).toEqual([]);
    expect(await cluster.listCapacityBuffers()).toEqual([]);
    await expect(cluster.listPods()).rejects.toBeInstanceOf(RefusedError);
  });

  test('only what decisions read is kept', async () => {
    putPod({
      metadata: {
        managedFields: [{ manager: 'x' }],
        annotations: {
          note: 'x',
          'karpenter.sh/do-not-disrupt': 'true',
          'kubectl.kubernetes.io/last-applied-configuration': '{}',
        },
      },
      spec: {
        schedulerName: 'default-scheduler',
        containers: [{ name: 'main', image: 'x', env: [{ name: 'A' }], resources: { requests: { cpu: '1' } } }],
        volumes: [
          { name: 'config', configMap: { name: 'c' } },
          { name: 'data', persistentVolumeClaim: { claimName: 'd' } },
        ],
        tolerations: null,
      },
      status: { phase: 'Running', podIP: '10.0.0.1', containerStatuses: [] },
    });
    const [pod] = await cluster.listPods();
    expect(pod).toEqual({
      metadata: {
        name: 'web-1',
        namespace: 'default',
        uid: pod?.metadata.uid,
        annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
        creationTimestamp: '2026-01-31T08:00:00Z',
        resourceVersion: pod?.metadata.resourceVersion,
      },
      spec: {
        containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }],
        volumes: [{ name: 'config' }, { name: 'data', persistentVolumeClaim: { claimName: 'd' } }],
      },
      status: { phase: 'Running' },
    });
  });
});

describe('evictions', () => {
  const target = { namespace: 'default', name: 'web-1', uid: 'uid-1' };
  const budget = (name: string) =>
    server.store.put(
      { group: '/apis/policy/v1', resource: 'poddisruptionbudgets', namespace: 'default', name },
      { spec: { selector: { matchLabels: {} } }, status: { disruptionsAllowed: 1 } },
    );

  test('an eviction has the UID as a precondition', async () => {
    putPod({ metadata: { uid: 'uid-1' } });
    expect(await cluster.evictPod(target)).toEqual({ kind: 'evicted' });
    expect(lastRequest()).toMatchObject({
      path: '/api/v1/namespaces/default/pods/web-1/eviction',
      body: { apiVersion: 'policy/v1', kind: 'Eviction', deleteOptions: { preconditions: { uid: 'uid-1' } } },
    });
  });

  test('an exhausted budget blocks the eviction', async () => {
    budget('web');
    putPod({ metadata: { uid: 'uid-1' } });
    expect(await cluster.evictPod(target)).toEqual({ kind: 'evicted' });
    putPod({ metadata: { uid: 'uid-1' } });
    expect(await cluster.evictPod(target)).toMatchObject({ kind: 'blocked' });
  });

  test('a pod with two budgets is blocked, without retries', async () => {
    putPod({ metadata: { uid: 'uid-1' } });
    budget('one');
    budget('two');
    const outcome = await cluster.evictPod(target);
    expect(outcome).toMatchObject({ kind: 'blocked' });
    expect(outcome.kind === 'blocked' && outcome.message).toContain('more than one PodDisruptionBudget');
    expect(server.requests).toHaveLength(1);
  });

  test('an overloaded server (429 without a budget) is asked again, and does not count as a budget', async () => {
    putPod({ metadata: { uid: 'uid-1' } });
    server.failNext({ kind: 'status', status: 429, message: 'too many requests, please try again later' });
    expect(await cluster.evictPod(target)).toEqual({ kind: 'evicted' });
    expect(server.requests).toHaveLength(2);
  });

  test('an eviction that an overloaded server refuses each time fails, so that it is retried later', async () => {
    putPod({ metadata: { uid: 'uid-1' } });
    for (let attempt = 0; attempt < 3; attempt += 1) server.failNext({ kind: 'status', status: 429 });
    await expect(cluster.evictPod(target)).rejects.toBeInstanceOf(UnreachableError);
  });

  test('another failure of the server is not treated as a budget', async () => {
    putPod({ metadata: { uid: 'uid-1' } });
    server.failNext({ kind: 'status', status: 500, message: 'etcdserver: request timed out' });
    await expect(cluster.evictPod(target)).rejects.toBeInstanceOf(UnreachableError);
  });

  test('a conflict is not treated as a deleted pod', async () => {
    putPod({ metadata: { uid: 'uid-1' } });
    server.failNext({ kind: 'status', status: 409 });
    await expect(cluster.evictPod(target)).rejects.toThrow(/409/);
  });

  test('a conflict is not taken for the end of a pod that may not be read', async () => {
    for (const answer of [() => cluster.evictPod(target), () => cluster.deletePod(target, 0)]) {
      server.failNext({ kind: 'status', status: 409 }, { kind: 'status', status: 403 });
      await expect(answer()).rejects.toBeInstanceOf(ConflictError);
    }
  });

  test('a deletion has its grace period and the UID', async () => {
    putPod({ metadata: { uid: 'uid-1' } });
    await cluster.deletePod(target, 7);
    expect(lastRequest()?.body).toMatchObject({ gracePeriodSeconds: 7, preconditions: { uid: 'uid-1' } });
  });

  describe('in a namespace that is being deleted', () => {
    const going = { kind: 'status', status: 403, cause: 'NamespaceTerminating' } as const;
    beforeEach(() => server.failNext(going));

    test('the pod is deleted with its own grace period', async () => {
      putPod({ metadata: { uid: 'uid-1' } });
      expect(await cluster.evictPod(target)).toEqual({ kind: 'evicted' });
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'uid-1' } };
      expect(lastRequest()).toMatchObject({ method: 'DELETE', path: '/api/v1/namespaces/default/pods/web-1' });
      expect(lastRequest()?.body).toEqual(body);
    });

    test('a denied deletion is a refusal that names the pod', async () => {
      putPod({ metadata: { uid: 'uid-1' } });
      server.failNext({ kind: 'status', status: 422, message: 'this pod must not be deleted' });
      const answer = cluster.evictPod(target);
      await expect(answer).rejects.toThrow(/delete default\/web-1: 422 this pod must not be deleted/);
      await expect(answer).rejects.toBeInstanceOf(RefusedError);
    });

    test('a pod that no longer exists, or that another pod has replaced, is gone', async () => {
      expect(await cluster.evictPod(target)).toEqual({ kind: 'gone' });
      server.failNext(going);
      putPod({ metadata: { uid: 'uid-2' } });
      expect(await cluster.evictPod(target)).toEqual({ kind: 'gone' });
    });
  });
});

test.each([404, 409, 429])(
  'a write that a webhook denies with %i is neither done nor repeated as a conflict',
  async (status) => {
    const pod = { namespace: 'default', name: 'web-1', uid: 'uid-1' };
    const message = 'admission webhook "policy.example.com" denied the request: no';
    for (const write of [
      () => cluster.patchNode({ name: 'node-1' }, { labels: {} }),
      () => cluster.deleteNode('node-1'),
      () => cluster.evictPod(pod),
      () => cluster.deletePod(pod, 0),
      () => cluster.deleteNodeClaim('general-a'),
    ]) {
      server.failNext({ kind: 'status', status, message });
      await expect(write()).rejects.toThrow(message);
      server.failNext({ kind: 'status', status, message });
      await expect(write()).rejects.toBeInstanceOf(RefusedError);
    }
  },
);

describe('the NodeClaim mirror', () => {
  const mirror: NodeClaim = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'general-a', resourceVersion: '1', uid: 'u', finalizers: ['karpenter.sh/termination'] },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: [],
      resources: { requests: {} },
      expireAfter: 'Never',
    },
    status: { nodeName: 'node-1' },
  };

  test('it is applied with the field manager kerf, with a separate status', async () => {
    server.store.put(NODE_CLAIM, { metadata: { uid: 'u', resourceVersion: '1' }, spec: mirror.spec });
    await cluster.applyNodeClaim(mirror);
    const [main, status] = server.requests;
    expect(main).toMatchObject({ method: 'PATCH', path: '/apis/karpenter.sh/v1/nodeclaims/general-a' });
    expect(main?.headers['content-type']).toBe('application/apply-patch+yaml');
    expect(Object.fromEntries(main?.query ?? [])).toEqual({ fieldManager: 'kerf', force: 'true' });
    // The uid is a precondition: an object that was removed meanwhile is not created again. A resourceVersion would be one too.
    expect(main?.body['metadata']).toEqual({ name: 'general-a', uid: 'u', finalizers: ['karpenter.sh/termination'] });
    expect(main?.body).not.toHaveProperty('status');
    expect(status).toMatchObject({
      path: '/apis/karpenter.sh/v1/nodeclaims/general-a/status',
      body: { status: { nodeName: 'node-1' } },
    });
  });

  test('without the CRD it is refused, because the CRD must be installed', async () => {
    server.uninstall('/apis/karpenter.sh/v1/nodeclaims');
    await expect(cluster.applyNodeClaim(mirror)).rejects.toBeInstanceOf(RefusedError);
  });

  test('its release keeps the finalizers of others', async () => {
    server.store.put(NODE_CLAIM, {
      metadata: { finalizers: ['karpenter.sh/termination', 'example.com/audit'] },
      spec: {},
    });
    await cluster.removeNodeClaim('general-a');
    expect(server.store.get(NODE_CLAIM)).toMatchObject({
      metadata: { finalizers: ['example.com/audit'], deletionTimestamp: '2026-01-31T08:00:01Z' },
    });
  });

  test('after a concurrent write it is read again', async () => {
    server.store.put(NODE_CLAIM, { metadata: { finalizers: ['karpenter.sh/termination'] }, spec: {} });
    // The deletion, the read, then the patch.
    server.failNext({ kind: 'none' }, { kind: 'none' }, { kind: 'status', status: 409 });
    await cluster.removeNodeClaim('general-a');
    expect(server.requests.map(({ method }) => method)).toEqual(['DELETE', 'GET', 'PATCH', 'GET', 'PATCH']);
    expect(server.store.get(NODE_CLAIM)).toBeUndefined();
  });
});

describe('events', () => {
  const event = { type: 'Warning', reason: 'DisruptionBlocked', message: 'x'.repeat(2_000) } as const;

  test('an event has the fields that the API server requires', async () => {
    await cluster.publishEvent({ ...event, regarding: { kind: 'Node', name: 'node-1' } });
    expect(lastRequest()).toMatchObject({
      method: 'POST',
      path: '/apis/events.k8s.io/v1/namespaces/default/events',
      body: {
        eventTime: '2026-01-31T08:00:00.000000Z',
        reportingController: 'kerf',
        reportingInstance: 'kerf',
        action: 'DisruptionBlocked',
        reason: 'DisruptionBlocked',
        type: 'Warning',
        note: 'x'.repeat(1_024),
        regarding: { apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: 'node-1' },
      },
    });
  });

  test('an event has the name of its decision', async () => {
    await cluster.publishEvent({
      ...event,
      decision: 'provisioning-7-abc',
      regarding: { kind: 'Node', name: 'node-1' },
    });
    expect(lastRequest()).toMatchObject({
      body: { metadata: { annotations: { 'kerf.dev/decision': 'provisioning-7-abc' } } },
    });
  });

  describe('a repeated event (F16)', () => {
    const regarding = { kind: 'Pod', name: 'web-1', namespace: 'web', uid: 'uid-1' } as const;
    const events = () => server.store.list({ group: '/apis/events.k8s.io/v1', resource: 'events' });
    /** Another function, later, with only the state in the cluster. */
    const say = async (afterSeconds: number, reason: EventReason = 'DisruptionBlocked') => {
      const clock = { now: () => NOW_MS + afterSeconds * 1_000 };
      await new KubernetesCluster({ client, clock }).publishEvent({ ...event, reason, regarding });
    };

    test.each<readonly [EventReason, number]>([
      ['DisruptionBlocked', 120],
      ['FailedScheduling', 300],
      ['Unconsolidatable', 900],
    ])('%s is written once in %i seconds', async (reason, seconds) => {
      await say(0, reason);
      await say(seconds - 1, reason);
      expect(events()).not.toMatchObject([{ series: {} }]);
      await say(seconds, reason);
      await say(2 * seconds - 1, reason);
      expect(events()).toMatchObject([{ series: { count: 2 } }]);
      await say(2 * seconds, reason);
      expect(events()).toMatchObject([{ series: { count: 3 } }]);
    });

    test('two functions at the same time write it once', async () => {
      await say(0);
      await Promise.all([say(200), say(200)]);
      expect(events()).toMatchObject([{ series: { count: 2 } }]);
    });

    test('an event of the same name that has no time, which another user has written, stays as it is', async () => {
      await say(0);
      const [written = {}] = events();
      const name = textField(written['metadata'], 'name') ?? '';
      const place = { group: '/apis/events.k8s.io/v1', resource: 'events', namespace: 'web', name };
      server.store.put(place, { ...written, eventTime: null });
      await expect(say(200)).resolves.toBeUndefined();
      expect(events()).toMatchObject([{ eventTime: null }]);
    });

    test('another message is another event', async () => {
      await say(0);
      await cluster.publishEvent({ ...event, message: 'y', regarding });
      expect(events()).toHaveLength(2);
    });
  });

  test('an object with a name of maximum length has events', async () => {
    await cluster.publishEvent({ ...event, regarding: { kind: 'Node', name: `${'a.'.repeat(126)}a` } });
    const [stored] = server.store.list({ group: '/apis/events.k8s.io/v1', resource: 'events' });
    const name = textAt(stored, 'metadata', 'name');
    expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
    expect(name.length).toBeLessThan(254);
  });

  test('a deleted namespace is not a failure', async () => {
    const regarding = { kind: 'Pod', name: 'web-1', namespace: 'web', uid: 'uid-1' } as const;
    server.failNext({ kind: 'status', status: 404 });
    await cluster.publishEvent({ ...event, regarding });
    expect(lastRequest()?.path).toBe('/apis/events.k8s.io/v1/namespaces/web/events');
  });
});
