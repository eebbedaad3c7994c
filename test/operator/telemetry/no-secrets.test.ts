/** All functions are played with marked secrets, through successes and failures; no line of their logs has one of them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { syncWebhook } from '../../../lib/controllers/install/sync-webhook.ts';
import { answerWebhook } from '../../../lib/controllers/webhook.ts';
import { webhookConfiguration } from '../../../lib/core/install/webhook-configuration.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { telemetryOf } from '../../../lib/operator/telemetry/telemetry.ts';
import { secretMatcher } from '../../../lib/operator/wiring/webhook.ts';
import { webhookRegistrationOf } from '../../../lib/operator/wiring/webhook-registration.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { ApiClient } from '../../../lib/providers/kubernetes/client/api-client.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { aRunReport } from '../../builders/decisions.ts';
import { NOW_MS } from '../../builders/times.ts';
import { EVENTS, live, SMALL_CATALOGUE } from '../../controllers/life.ts';
import { heard } from '../../heard.ts';

const MARK = 'TopSecret';
const SECRETS = {
  webhook: `${MARK}Webhook0123456789`,
  token: `${MARK}Token`,
  userData: `${MARK}UserData`,
  environment: `${MARK}Env`,
};

/** The mark as text, and as base64 at each of the three offsets in a group of bytes. */
const FORMS = ['', 'x', 'xx'].map((before) => {
  const encoded = Buffer.from(`${before}${MARK}`).toString('base64');
  return encoded.slice(before.length === 0 ? 0 : 4, -4);
});

function leaksIn(lines: string): readonly string[] {
  return lines.split('\n').filter((line) => [MARK, ...FORMS].some((form) => line.includes(form)));
}

test('a leak is found, also if it is encoded', () => {
  const encoded = ['', 'a', 'ab'].map((before) =>
    Buffer.from(`${before}#!/bin/bash ${SECRETS.userData} and more`).toString('base64'),
  );
  for (const leak of [SECRETS.token, ...encoded]) expect(leaksIn(`{"message":"${leak}"}`)).toHaveLength(1);
});

test('provisioning, lifecycle, disruption, termination and interruption log no user data and no environment', async () => {
  const deployment = aDeployment('web', 3);
  const { template } = deployment.spec;
  const containers = template.spec.containers.map((container) => ({
    ...container,
    args: [SECRETS.environment],
    env: [{ name: 'PASSWORD', value: SECRETS.environment }],
  }));
  const manifests = someManifests({
    deployments: [
      {
        ...deployment,
        spec: { ...deployment.spec, template: { ...template, spec: { ...template.spec, containers } } },
      },
    ],
  });
  const nodeClasses = manifests.nodeClasses.map((one) => ({
    ...one,
    spec: { ...one.spec, userData: `#!/bin/bash\necho ${SECRETS.userData}` },
  }));
  let requests = '';
  let refusals = 3;
  const lines = await heard(async () => {
    await live({
      manifests: { ...manifests, nodeClasses },
      catalogue: SMALL_CATALOGUE,
      scenario: { name: 'secrets', events: EVENTS },
      durationMs: 30 * MINUTE_MS,
      telemetryOf: (name) => telemetryOf(name, 'table'),
      wrapPorts: (ports) => ({
        ...ports,
        cloud: {
          ...ports.cloud,
          // The first launches fail in two ways, so that the lines of failures are there too.
          launch: async (request) => {
            requests += JSON.stringify(request);
            refusals -= 1;
            if (refusals === 1) throw new UnreachableError('EC2 CreateFleet: no answer');
            return refusals >= 0
              ? { kind: 'refused', missing: [], message: 'InvalidParameter: userData' }
              : ports.cloud.launch(request);
          },
        },
      }),
    });
  });
  // The marks are in what the functions handle.
  expect(leaksIn(requests).length).toBeGreaterThan(0);
  const services = new Set([...lines.matchAll(/"service":"kerf-([a-z]+)"/g)].map(([, name]) => name));
  const functions = ['disruption', 'interruption', 'lifecycle', 'provisioning', 'termination'];
  expect(functions.filter((name) => !services.has(name))).toEqual([]);
  expect(lines).toContain('"launch-instance"');
  expect(lines).toContain('"level":"ERROR"');
  expect(leaksIn(lines)).toEqual([]);
});

/** An API server that refuses every write and repeats it in the message, as a real one does with invalid values. */
async function repeatingServer(): Promise<{
  readonly endpoint: string;
  readonly close: () => void;
  readonly seen: () => string;
}> {
  let seen = '';
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      seen += `${request.headers.authorization} ${body}\n`;
      const message = `Invalid value: ${/"url":"[^"]+"/.exec(body)?.[0]} of ${request.headers.authorization}`;
      const status = request.method === 'GET' ? 404 : 422;
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ kind: 'Status', message }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close(), seen: () => seen };
}

test('lifecycle logs neither the secret of the webhook nor the token if the API server repeats them in its refusal', async () => {
  const server = await repeatingServer();
  const client = new ApiClient({
    endpoint: server.endpoint,
    token: async () => SECRETS.token,
    secrets: [SECRETS.webhook, SECRETS.token],
  });
  const address = { url: `${server.endpoint}/`, secret: SECRETS.webhook, fromVpc: false };
  const registration = webhookRegistrationOf({ name: 'demo' }, address, client);
  const lines = await heard(async () => {
    if (registration === undefined) throw new TypeError('there is no registration');
    const { wanted } = registration;
    for (const answers of [true, false]) {
      const webhook = {
        wanted,
        read: async () => registration.read(),
        create: async () => registration.create(),
        patch: async () => undefined,
        probe: async () => (answers ? undefined : registration.probe()),
      };
      const ports = { webhook, clock: { now: () => NOW_MS }, settings: DEFAULT_SETTINGS };
      const failures = await syncWebhook(ports, { cluster: 'demo', reason: 'tick' });
      expect(failures).toHaveLength(1);
      telemetryOf('lifecycle').report({ reason: 'tick' }, aRunReport({ failures }));
    }
  });
  server.close();
  expect(leaksIn(server.seen()).length).toBeGreaterThan(0);
  expect(lines).toContain('Invalid value');
  expect(leaksIn(lines)).toEqual([]);
});

test('the webhook logs no part of the path or the body of a call, nor of its answer', async () => {
  const body = new TextEncoder().encode(
    JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: SECRETS.token,
        resource: { group: 'karpenter.sh', version: 'v1', resource: 'nodepools' },
        operation: 'CREATE',
      },
    }),
  );
  const ports = {
    messages: { wake: async () => Promise.reject(new UnreachableError('SQS SendMessage: no answer')) },
    clusters: new Set(['demo']),
    isSecret: secretMatcher(SECRETS.webhook),
    deadline: async () => new Promise<void>(() => undefined),
  };
  let failed = 0;
  const lines = await heard(async () => {
    for (const path of [`/demo/${SECRETS.webhook}`, `/demo/${SECRETS.token}`, `/${SECRETS.token}`]) {
      for (const sent of [body, new TextEncoder().encode(SECRETS.token)]) {
        const { failures, body: answer } = await answerWebhook(ports, { method: 'POST', path, body: sent });
        failed += failures.length;
        for (const failure of failures) telemetryOf('webhook').error('failed to send a wake', failure, {});
        expect(JSON.stringify(answer)).not.toContain(SECRETS.webhook);
      }
    }
  });
  expect(failed).toBeGreaterThan(0);
  expect(leaksIn(lines)).toEqual([]);
});

test('the configuration of the webhook has the secret, so the tests above would find it', () => {
  const wanted = webhookConfiguration({ url: 'https://hooks.test/', cluster: 'demo', secret: SECRETS.webhook });
  expect(leaksIn(JSON.stringify(wanted))).toHaveLength(1);
});
