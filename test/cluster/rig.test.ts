/** The rig itself: a real scheduler and real controllers with simulated nodes behave as a cluster. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FakeKubelet, type KubeletPlan, startFakeKubelet } from '../rig/fake-kubelet.ts';
import { caBundle, serveTls } from '../rig/tls-server.ts';
import { clearCluster, createDeployment, isRunning, podsOf, scaleDeployment } from '../rig/workloads.ts';
import { at, listAt } from '../stack/json.ts';
import { callApi, read, succeed } from './support/api-client.ts';
import { conditionOf } from './support/resources.ts';

const WAIT = { timeout: 45_000, interval: 100 };
const kubelets: FakeKubelet[] = [];

beforeEach(async () => await clearCluster());
afterEach(async () => {
  const refusals = kubelets.flatMap((kubelet) => kubelet.refusals);
  await Promise.all(kubelets.splice(0).map((kubelet) => kubelet.die()));
  await clearCluster();
  expect(refusals).toEqual([]);
});

function boot(plan: KubeletPlan): FakeKubelet {
  const kubelet = startFakeKubelet(plan);
  kubelets.push(kubelet);
  return kubelet;
}

const running = async (app: string): Promise<number> => (await podsOf(app)).filter(isRunning).length;

async function readyOf(node: string): Promise<unknown> {
  return conditionOf(await read(`/api/v1/nodes/${node}`), 'Ready');
}

test('pods without a node stay pending, and the scheduler records Events', async () => {
  await createDeployment({ name: 'waits', replicas: 2 });
  const events = await vi.waitFor(async () => {
    const all = listAt(await read('/apis/events.k8s.io/v1/namespaces/default/events'), 'items');
    const found = all.filter((event) => String(at(event, 'regarding', 'name')).startsWith('waits-'));
    const failed = found.filter((event) => at(event, 'reason') === 'FailedScheduling');
    expect(failed).toHaveLength(2);
    return failed;
  }, WAIT);
  // The scheduler may still know the drained node of an earlier test.
  const note = expect.stringMatching(/^(no nodes available|0\/\d+ nodes are available)/);
  expect(events[0]).toMatchObject({ reportingController: 'default-scheduler', note });
  for (const pod of await podsOf('waits')) expect(conditionOf(pod, 'PodScheduled')).toBe('False');
});

test('a node that joins runs the pods, and pods that are scaled down end on it', async () => {
  await createDeployment({ name: 'runs', replicas: 3 });
  const providerId = 'aws:///us-east-1a/i-0123456789abcdef0';
  boot({ name: 'node-1', providerId, labels: { 'karpenter.sh/nodepool': 'general' } });
  await vi.waitFor(async () => expect(await running('runs')).toBe(3), WAIT);
  expect(await read('/api/v1/nodes/node-1')).toMatchObject({
    metadata: { labels: { 'karpenter.sh/nodepool': 'general', 'kubernetes.io/hostname': 'node-1' } },
    spec: { providerID: providerId },
  });
  await scaleDeployment('runs', 0);
  await vi.waitFor(async () => expect(await podsOf('runs')).toEqual([]), WAIT);
});

test('a node with the taint of its user data runs no pods until the taint is removed', async () => {
  await createDeployment({ name: 'later', replicas: 1 });
  boot({ name: 'node-2', taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }] });
  await vi.waitFor(async () => expect(await readyOf('node-2')).toBe('True'), WAIT);
  const untainted = { spec: { taints: [] } };
  const headers = { 'content-type': 'application/merge-patch+json' };
  expect(await running('later')).toBe(0);
  await succeed({ method: 'PATCH', path: '/api/v1/nodes/node-2', headers, body: untainted });
  await vi.waitFor(async () => expect(await running('later')).toBe(1), WAIT);
});

test('a node that never becomes Ready runs nothing, and one that never joins is not there', async () => {
  await createDeployment({ name: 'hopes', replicas: 1 });
  boot({ name: 'node-3', failure: 'never-ready' });
  boot({ name: 'node-4', failure: 'never-joins' });
  await vi.waitFor(async () => expect(await readyOf('node-3')).toBe('False'), WAIT);
  boot({ name: 'node-5' });
  await vi.waitFor(async () => expect(await running('hopes')).toBe(1), WAIT);
  expect((await podsOf('hopes')).map((pod) => at(pod, 'spec', 'nodeName'))).toEqual(['node-5']);
  expect(await callApi({ method: 'GET', path: '/api/v1/nodes/node-4' })).toMatchObject({ status: 404 });
});

test('a node whose machine stops becomes NotReady because its lease expires', async () => {
  const kubelet = boot({ name: 'node-6' });
  await vi.waitFor(async () => expect(await readyOf('node-6')).toBe('True'), WAIT);
  await kubelet.die();
  await vi.waitFor(async () => expect(await readyOf('node-6')).toBe('Unknown'), WAIT);
});

test('a node may write only what NodeRestriction allows it to write to its own Node', async () => {
  const kubelet = boot({ name: 'node-7', labels: { 'node-restriction.kubernetes.io/team': 'a' } });
  await vi.waitFor(() => expect(kubelet.refusals[0]).toMatch(/403 .*node-restriction.kubernetes.io/), WAIT);
  kubelets.splice(kubelets.indexOf(kubelet), 1);
  await kubelet.die();
});

test('a webhook with the certificate of the API server itself is called', async () => {
  const reviews: string[] = [];
  const hear = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    reviews.push(await text(incoming));
    response.end('{}');
  };
  const server = await serveTls((incoming, response) => void hear(incoming, response));
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const rule = { apiGroups: ['events.k8s.io'], apiVersions: ['v1'], resources: ['events'], operations: ['CREATE'] };
  const webhook = {
    name: 'rig.kerf.test',
    clientConfig: { url: `${server.endpoint}/hear`, caBundle: caBundle() },
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Ignore',
    timeoutSeconds: 1,
    rules: [rule],
  };
  const metadata = { name: 'rig' };
  const configuration = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' };
  await succeed({ method: 'POST', path, body: { ...configuration, metadata, webhooks: [webhook] } });
  try {
    // It is in force about a second after it was written: ask until it is.
    await vi.waitFor(async () => {
      await createDeployment({ name: `heard-${Date.now()}`, replicas: 1 });
      await vi.waitFor(() => expect(reviews.join('\n')).toContain('"reason":"FailedScheduling"'), {
        timeout: 2_000,
        interval: 50,
      });
    }, WAIT);
  } finally {
    await succeed({ method: 'DELETE', path: `${path}/rig` });
    await server.close();
  }
});
