import { describe, expect, test } from 'vitest';
import { answerWebhook, MAX_REQUEST_BODY_BYTES, type WebhookPorts } from '../../lib/controllers/webhook.ts';
import { UnreachableError } from '../../lib/ports/errors.ts';
import type { Wake, WakeTarget } from '../../lib/ports/messages.ts';

const NEVER = Promise.withResolvers<never>().promise;

interface Sent {
  readonly target: WakeTarget;
  readonly wake: Wake;
}

function webhook(overrides: Partial<WebhookPorts> = {}): {
  readonly ports: WebhookPorts;
  readonly sent: readonly Sent[];
} {
  const sent: Sent[] = [];
  const messages: WebhookPorts['messages'] = {
    wake: async (target, wake) => {
      sent.push({ target, wake });
    },
  };
  const ports: WebhookPorts = {
    messages,
    clusters: new Set(['demo', 'other']),
    isSecret: (candidate) => candidate === 'right',
    deadline: async () => await NEVER,
    ...overrides,
  };
  return { ports, sent };
}

async function unreachable(): Promise<void> {
  await Promise.reject(new UnreachableError('no queue'));
}

function reviewOf(
  resource: string,
  request: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: { uid: 'b9f7', resource: { group: '', version: 'v1', resource }, operation: 'CREATE', ...request },
  };
}

function call(overrides: { method?: string; path?: string; body?: unknown } = {}) {
  const { method = 'POST', path = '/demo/right', body = reviewOf('events') } = overrides;
  return { method, path, body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)) };
}

const ALLOWED = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid: 'b9f7', allowed: true },
};

describe('a review wakes', () => {
  test.each([
    ['events', ['provisioning']],
    ['nodepools', ['provisioning']],
    ['ec2nodeclasses', ['lifecycle']],
    ['nodes', ['lifecycle']],
    ['nodeclaims', ['lifecycle']],
    ['configmaps', []],
    ['constructor', []],
  ])('a review of %s wakes %j: one message is one call to SQS', async (resource, targets) => {
    const { ports, sent } = webhook();
    expect(await answerWebhook(ports, call({ body: reviewOf(resource) }))).toEqual({
      status: 200,
      body: ALLOWED,
      failures: [],
    });
    expect(sent).toEqual(targets.map((target) => ({ target, wake: { cluster: 'demo', reason: 'webhook' } })));
  });

  test('the cluster in the path', async () => {
    const { ports, sent } = webhook();
    await answerWebhook(ports, call({ path: '/other/right' }));
    expect(sent.map(({ wake }) => wake.cluster)).toEqual(['other']);
  });

  test('lifecycle for one claim only, if it is a review of this NodeClaim', async () => {
    const { ports, sent } = webhook();
    await answerWebhook(ports, call({ body: reviewOf('nodeclaims', { name: 'general-abc', operation: 'DELETE' }) }));
    expect(sent.map(({ wake }) => wake.nodeClaim)).toEqual(['general-abc']);
  });

  test.each(['', 'General', '../secret', 'x'.repeat(254), 7])(
    '%j does not name a claim, so all claims are reconciled',
    async (name) => {
      const { ports, sent } = webhook();
      await answerWebhook(ports, call({ body: reviewOf('nodeclaims', { name }) }));
      expect(sent.map(({ wake }) => wake)).toEqual([{ cluster: 'demo', reason: 'webhook' }]);
    },
  );

  test('no function, if Kerf wrote the Event', async () => {
    const { ports, sent } = webhook();
    await answerWebhook(ports, call({ body: reviewOf('events', { object: { reportingController: 'kerf' } }) }));
    expect(sent).toEqual([]);
  });
});

describe('the request is allowed after every failure (promise 5)', () => {
  test('the queue refuses', async () => {
    const { ports } = webhook({ messages: { wake: unreachable } });
    const answer = await answerWebhook(ports, call({ body: reviewOf('nodes') }));
    expect(answer).toMatchObject({ status: 200, body: ALLOWED });
    expect(answer.failures.map(({ message }) => message)).toEqual(['lifecycle of cluster demo was not woken']);
  });

  test('the queue does not answer in time', async () => {
    const { ports } = webhook({ messages: { wake: async () => await NEVER }, deadline: async () => {} });
    const answer = await answerWebhook(ports, call());
    expect(answer).toMatchObject({ status: 200, body: ALLOWED });
    expect(answer.failures).toHaveLength(1);
  });
});

describe('a refused request wakes no function', () => {
  test.each([
    [404, 'a wrong secret', { path: '/demo/wrong' }],
    [404, 'an empty secret', { path: '/demo/' }],
    [404, 'no secret', { path: '/demo' }],
    [404, 'an unknown cluster', { path: '/elsewhere/right' }],
    [404, 'more behind the secret', { path: '/demo/right/more' }],
    [404, 'the root', { path: '/' }],
    [405, 'another method', { method: 'GET' }],
    [413, 'a body above the limit', { body: `"${'x'.repeat(MAX_REQUEST_BODY_BYTES)}"` }],
    [400, 'no JSON', { body: '{' }],
    [400, 'an empty body', { body: '' }],
    [400, 'JSON null', { body: 'null' }],
    [400, 'another kind', { body: { kind: 'Pod', apiVersion: 'v1' } }],
    [400, 'no request', { body: { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' } }],
    [400, 'no uid', { body: reviewOf('events', { uid: '' }) }],
    [400, 'no resource', { body: reviewOf('events', { resource: 'events' }) }],
    [400, 'a version we do not speak', { body: { ...reviewOf('events'), apiVersion: 'admission.k8s.io/v1beta1' } }],
  ])('%i for %s', async (status, _, overrides) => {
    const { ports, sent } = webhook();
    const answer = await answerWebhook(ports, call(overrides));
    expect(answer.status).toBe(status);
    expect(sent).toEqual([]);
    expect(JSON.stringify(answer)).not.toContain('right');
  });

  test('a body that is not UTF-8', async () => {
    const { ports } = webhook();
    expect(await answerWebhook(ports, { ...call(), body: Uint8Array.of(0xff, 0xfe) })).toMatchObject({ status: 400 });
  });

  test('the secret is also compared for an unknown cluster', async () => {
    let compared = 0;
    const { ports } = webhook({ isSecret: () => (compared += 1) > 0 });
    await answerWebhook(ports, call({ path: '/elsewhere/right' }));
    expect(compared).toBe(1);
  });
});
