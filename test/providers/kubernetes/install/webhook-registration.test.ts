import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { webhookConfiguration } from '../../../../lib/core/install/webhook-configuration.ts';
import { ConflictError, RefusedError } from '../../../../lib/ports/errors.ts';
import { ApiClient } from '../../../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesWebhookRegistration } from '../../../../lib/providers/kubernetes/install/webhook-registration.ts';

const SECRET = 'xyzzy-plugh';
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

async function registered(status: number, body: unknown): Promise<KubernetesWebhookRegistration> {
  const answer = (_: unknown, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return new KubernetesWebhookRegistration({
    client: new ApiClient({ endpoint: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` }),
    wanted: webhookConfiguration({ url: 'https://hooks.test/', cluster: 'demo', secret: SECRET }),
    probe: async () => undefined,
  });
}

const PATCH = [
  { resourceVersion: '1', annotations: {}, webhooks: [] },
  { annotations: { 'kerf.dev/failed-probes': '1', 'kerf.dev/last-failed-probe': '2026-01-31T08:00:00Z' } },
] as const;

test('a configuration that is not there is undefined, and a patch of one that went is nothing', async () => {
  const registration = await registered(404, { message: 'not found' });
  expect(await registration.read()).toBeUndefined();
  await registration.patch(...PATCH);
});

test('a configuration that changed in between is a conflict', async () => {
  const registration = await registered(409, { message: 'the object has been modified' });
  await expect(registration.patch(...PATCH)).rejects.toBeInstanceOf(ConflictError);
});

test('what the API server objects to is passed on without the secret', async () => {
  const registration = await registered(422, { message: `url: Invalid value: "https://hooks.test/demo/${SECRET}"` });
  const refusal = await registration.create().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RefusedError);
  expect(String(refusal)).toContain('https://hooks.test/demo/…');
  expect(String(refusal)).not.toContain(SECRET);
});
