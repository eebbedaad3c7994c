/** Promise 5: whatever becomes of the webhook, the cluster's scheduler does not notice. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { anEvent } from '../rig/events.ts';
import { type FakeKubelet, startFakeKubelet } from '../rig/fake-kubelet.ts';
import { type Health, registrationAt, serveWebhook, type WebhookEndpoint } from '../rig/webhook-endpoint.ts';
import { clearCluster, createDeployment, podsOf } from '../rig/workloads.ts';
import { at } from '../stack/json.ts';
import { adminClient, callApi, read, succeed } from './support/api-client.ts';
import { conditionOf } from './support/resources.ts';

const WAIT = { timeout: 110_000, interval: 100 };
const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/kerf';
/** A webhook that hangs delays each caller by a second: for the scheduler, it would be a minute in total. */
const WITHOUT_PLACE = 60;
const WITH_PLACE = 20;
/** No process listens on this port. */
const CLOSED = 'https://127.0.0.1:1';

let endpoint: WebhookEndpoint;
let client: ApiClient;
let kubelet: FakeKubelet;
/** Without a webhook. */
let aloneMs: number;

beforeAll(async () => {
  endpoint = await serveWebhook();
  client = adminClient();
  await clearCluster();
  const capacity = { cpu: '16', memory: '64Gi', pods: '110' };
  kubelet = startFakeKubelet({ name: 'place', labels: { place: 'here' }, capacity });
  await vi.waitFor(async () => expect(conditionOf(await read('/api/v1/nodes/place'), 'Ready')).toBe('True'), WAIT);
  aloneMs = await scheduled('alone');
}, 180_000);
beforeEach(async () => {
  await callApi({ method: 'DELETE', path: CONFIGURATION });
});
afterAll(async () => {
  await callApi({ method: 'DELETE', path: CONFIGURATION });
  await kubelet.die();
  await clearCluster();
  await endpoint.close();
  client.close();
});

/** *Shape:* how long it takes until the pods that have a place are bound, behind those that have none. */
async function scheduled(name: string): Promise<number> {
  const startedMs = performance.now();
  await createDeployment({
    name: `${name}-nowhere`,
    replicas: WITHOUT_PLACE,
    podSpec: { nodeSelector: { place: 'nowhere' } },
  });
  await vi.waitFor(async () => expect(await podsOf(`${name}-nowhere`)).toHaveLength(WITHOUT_PLACE), WAIT);
  await createDeployment({ name: `${name}-here`, replicas: WITH_PLACE, podSpec: { nodeSelector: { place: 'here' } } });
  await vi.waitFor(async () => {
    const bound = (await podsOf(`${name}-here`)).filter((pod) => at(pod, 'spec', 'nodeName') === 'place');
    expect(bound).toHaveLength(WITH_PLACE);
    const marked = (await podsOf(`${name}-nowhere`)).filter((pod) => conditionOf(pod, 'PodScheduled') === 'False');
    expect(marked).toHaveLength(WITHOUT_PLACE);
  }, WAIT);
  const tookMs = performance.now() - startedMs;
  for (const each of ['nowhere', 'here'])
    await succeed({ method: 'DELETE', path: `/apis/apps/v1/namespaces/default/deployments/${name}-${each}` });
  await vi.waitFor(async () => {
    expect([...(await podsOf(`${name}-nowhere`)), ...(await podsOf(`${name}-here`))]).toEqual([]);
  }, WAIT);
  return tookMs;
}

const FAILED_OPEN = 'apiserver_admission_webhook_fail_open_count{name="failed-scheduling.kerf.dev"';

/** How often the API server went on without an answer. */
async function failedOpen(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  client
    .stream({ method: 'GET', path: '/metrics', accept: 'text/plain' }, AbortSignal.timeout(10_000))
    .then(async ({ body }) => (await body.toArray()).join(''))
    .then(resolve, reject);
  const lines = (await promise).split('\n');
  const count = lines.find((line) => line.startsWith(FAILED_OPEN));
  return Number(count?.split(' ').at(-1) ?? 0);
}

async function isAsked(before: { readonly calls: number; readonly failures: number }): Promise<void> {
  await vi.waitFor(async () => {
    await anEvent();
    const asked = endpoint.reviews.length - before.calls + (await failedOpen()) - before.failures;
    expect(asked).toBeGreaterThan(0);
  }, WAIT);
}

test.each<readonly [string, Health, string | undefined]>([
  ['answers', 'answers', undefined],
  ['hangs', 'hangs', undefined],
  ['answers 502', 'fails', undefined],
  ['answers rubbish', 'talks-rubbish', undefined],
  ['refuses the connection', 'answers', CLOSED],
])(
  'scheduling continues as before if the endpoint %s',
  async (name, health, address) => {
    const before = { calls: endpoint.reviews.length, failures: await failedOpen() };
    endpoint.health = health;
    await registrationAt(address ?? endpoint.endpoint, client).create();
    await isAsked(before);
    const tookMs = await scheduled(health === 'answers' && address !== undefined ? 'refuses' : health);
    const calls = endpoint.reviews.length - before.calls;
    const failures = (await failedOpen()) - before.failures;
    console.log(
      `${WITHOUT_PLACE} pods without a place and ${WITH_PLACE} with one: ${(tookMs / 1_000).toFixed(1)} s where the endpoint ${name}, ` +
        `${(aloneMs / 1_000).toFixed(1)} s without one; ${calls} calls, ${failures} gone on without`,
    );
    expect(calls + failures).toBeGreaterThan(WITHOUT_PLACE);
    expect(tookMs).toBeLessThan(3 * aloneMs + 10_000);
  },
  180_000,
);
