/** How a real API server passes on the denials of an admission webhook, which chooses their status. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';
import type { ApiClient } from '../../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { caBundle, serveTls, type TlsServer } from '../../rig/tls-server.ts';
import { textAt } from '../../stack/json.ts';
import { adminClient, callApi, succeed } from '../support/api-client.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const NODE = '/api/v1/nodes/denied';

let code = 404;
let webhook: TlsServer;
let client: ApiClient;
let cluster: KubernetesCluster;

async function deny(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const uid = textAt(await json(request), 'request', 'uid');
  const status = { code, message: 'not now', reason: 'NotFound' };
  const answer = { uid, allowed: false, status };
  const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

beforeAll(async () => {
  webhook = await serveTls((request, response) => void deny(request, response));
  client = adminClient();
  cluster = new KubernetesCluster({ client, clock: { now: () => Date.now() } });
  await succeed({ method: 'POST', path: '/api/v1/nodes', body: { metadata: { name: 'denied' } } });
  const rule = {
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['nodes'],
    operations: ['UPDATE', 'DELETE'],
    scope: '*',
  };
  await succeed({
    method: 'POST',
    path: CONFIGURATIONS,
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'denying' },
      webhooks: [
        {
          name: 'nodes.example.com',
          clientConfig: { url: webhook.endpoint, caBundle: caBundle() },
          rules: [rule],
          matchConditions: [{ name: 'one', expression: "request.name == 'denied'" }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    },
  });
  // The API server reads configurations with a delay.
  await vi.waitFor(
    async () => await expect(cluster.patchNode({ name: 'denied' }, { labels: { a: 'b' } })).rejects.toThrow(),
    30_000,
  );
});

afterAll(async () => {
  await callApi({ method: 'DELETE', path: `${CONFIGURATIONS}/denying` });
  await vi.waitFor(async () => await succeed({ method: 'DELETE', path: NODE }), 30_000);
  client.close();
  await webhook.close();
});

test.each([
  [403, 'a refusal', RefusedError],
  [404, 'a refusal', RefusedError],
  [409, 'a refusal', RefusedError],
  [429, 'a refusal', RefusedError],
  [500, 'a failure that may pass', UnreachableError],
])('a denial with %i is %s, for a patch and for a deletion', async (status, _, kind) => {
  code = status;
  const patch = cluster.patchNode({ name: 'denied' }, { labels: { a: 'b' } });
  await expect(patch).rejects.toBeInstanceOf(kind);
  await expect(patch).rejects.toThrow('admission webhook "nodes.example.com" denied the request: not now');
  await expect(cluster.deleteNode('denied')).rejects.toBeInstanceOf(kind);
});
