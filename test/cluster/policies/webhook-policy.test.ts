/** What an identity of Kerf may write to webhook configurations on a real API server, beyond what RBAC can limit. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { groupOf, rbacObjects } from '../../../lib/core/install/rbac.ts';
import { webhookConfiguration } from '../../../lib/core/install/webhook-configuration.ts';
import { webhookPolicy } from '../../../lib/core/install/webhook-policy.ts';
import { ApiClient } from '../../../lib/providers/kubernetes/client/api-client.ts';
import { kubernetesInstallation } from '../../../lib/providers/kubernetes/install/installation.ts';
import type { ControlPlane } from '../../../scripts/control-plane.ts';
import { startOwnControlPlane } from '../../rig/own-control-plane.ts';

const ENDPOINT = { url: 'https://hooks.example.com/', cluster: 'demo', secret: 'of-the-path' };
const API = '/apis/admissionregistration.k8s.io/v1';
const OWN = webhookConfiguration(ENDPOINT);
const [FIRST] = OWN.webhooks;

let controlPlane: ControlPlane;
const clients: ApiClient[] = [];

beforeAll(async () => {
  controlPlane = await startOwnControlPlane({
    users: [
      { token: 'installer', user: 'installer', groups: ['system:masters'] },
      { token: 'lifecycle', user: 'lifecycle', groups: [groupOf('lifecycle')] },
      // RBAC alone would let this identity write every webhook configuration.
      { token: 'strong', user: 'strong', groups: [groupOf('lifecycle'), 'system:masters'] },
    ],
  });
  const installation = kubernetesInstallation({
    client: clientOf('installer'),
    clock: { now: () => Date.now() },
    installedBy: 'test',
    deployment: '111122223333/eu-central-1/Kerf',
  });
  for (const object of rbacObjects()) await installation.apply(object);
  for (const object of webhookPolicy(ENDPOINT)) expect(await installation.apply(object)).toBe('applied');
  // The API server reads policies with a delay.
  await vi.waitFor(async () => expect(await write('strong', 'any', OWN.webhooks)).toBe(422), {
    timeout: 30_000,
    interval: 500,
  });
});

afterAll(async () => {
  for (const client of clients) client.close();
  await controlPlane.stop();
});

function clientOf(token: string): ApiClient {
  const { endpoint, certificateAuthority } = controlPlane;
  const client = new ApiClient({
    endpoint,
    certificateAuthority: readFileSync(certificateAuthority, 'utf8'),
    token: async () => token,
  });
  clients.push(client);
  return client;
}

/** @param path a name, or the collection and a name. *Shape:* the status of the answer. A denial of a policy is 422. */
async function write(token: string, path: string, webhooks: unknown): Promise<number> {
  const [collection = '', name = ''] = path.includes('/') ? path.split('/') : ['validatingwebhookconfigurations', path];
  const kind = collection.startsWith('mutating') ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration';
  const { status } = await clientOf(token).send({
    method: 'PATCH',
    path: `${API}/${collection}/${name}`,
    body: { apiVersion: OWN.apiVersion, kind, metadata: { name, labels: OWN.metadata.labels }, webhooks },
    contentType: 'application/apply-patch+yaml',
    query: { fieldManager: 'kerf', force: 'true' },
  });
  return status;
}

/** Kerf's configuration with a changed first webhook. */
function changed(change: object): readonly unknown[] {
  return [{ ...FIRST, ...change }, ...OWN.webhooks.slice(1)];
}

describe('lifecycle', () => {
  test('writes Kerf’s own configuration, with another secret too, and empties it', async () => {
    expect(await write('lifecycle', 'kerf', OWN.webhooks)).toBeLessThan(300);
    const rotated = webhookConfiguration({ ...ENDPOINT, secret: 'another' });
    expect(await write('lifecycle', 'kerf', rotated.webhooks)).toBeLessThan(300);
    expect(await write('lifecycle', 'kerf', [])).toBeLessThan(300);
  });

  const rule = FIRST?.rules[0];
  test.each([
    ['another host', { clientConfig: { url: 'https://evil.example.com/demo/secret' } }],
    ['a host that only begins alike', { clientConfig: { url: 'https://hooks.example.com.evil.test/demo/secret' } }],
    [
      'its own address in the path of another host',
      { clientConfig: { url: 'https://evil.example.com/https://hooks.example.com/demo/secret' } },
    ],
    ['the path of another cluster', { clientConfig: { url: 'https://hooks.example.com/other/secret' } }],
    [
      'the path of another cluster by way of its own',
      { clientConfig: { url: 'https://hooks.example.com/demo/../other/secret' } },
    ],
    ['an encoded path', { clientConfig: { url: 'https://hooks.example.com/demo/%2e%2e%2fother' } }],
    ['a service', { clientConfig: { service: { name: 'evil', namespace: 'default', path: '/' } } }],
    ['a rule on secrets', { rules: [{ ...rule, apiGroups: [''], resources: ['secrets'] }] }],
    [
      'a rule on everything',
      { rules: [{ ...rule, apiGroups: ['*'], resources: ['*'], apiVersions: ['*'], scope: '*' }] },
    ],
    ['a rule on all subresources', { rules: [{ ...rule, apiGroups: [''], resources: ['*/*'] }] }],
    ['secrets beside its own resource', { rules: [{ ...rule, apiGroups: [''], resources: ['nodes', 'secrets'] }] }],
    ['failurePolicy Fail', { failurePolicy: 'Fail' }],
    ['a timeout of 30 s', { timeoutSeconds: 30 }],
  ])('may not write %s', async (_, change) => {
    expect(await write('lifecycle', 'kerf', changed(change))).toBe(422);
  });

  test('may not add a webhook beside its own', async () => {
    const added = [
      ...OWN.webhooks,
      { ...FIRST, name: 'x.kerf.dev', clientConfig: { url: 'https://evil.example.com/' } },
    ];
    expect(await write('lifecycle', 'kerf', added)).toBe(422);
  });
});

describe('an identity of Kerf that RBAC does not limit', () => {
  test('writes no configuration of another name, and no mutating one', async () => {
    expect(await write('strong', 'kerf', OWN.webhooks)).toBeLessThan(300);
    expect(await write('strong', 'another', OWN.webhooks)).toBe(422);
    expect(await write('strong', 'mutatingwebhookconfigurations/kerf', [])).toBe(422);
  });
});

test('others write what they like', async () => {
  const webhooks = changed({ clientConfig: { url: 'https://other.example.com/' }, failurePolicy: 'Fail' });
  expect(await write('installer', 'other', webhooks)).toBeLessThan(300);
});
