import { expect, test } from 'vitest';
import { webhookConfiguration } from '../../../lib/core/install/webhook-configuration.ts';

const ENDPOINT = { url: 'https://hooks.test/', cluster: 'demo', secret: 's3cret' };
const { metadata, webhooks } = webhookConfiguration(ENDPOINT);

test('each rule calls the cluster’s own path with the secret at its end', () => {
  expect(new Set(webhooks.map(({ clientConfig }) => clientConfig.url))).toEqual(
    new Set(['https://hooks.test/demo/s3cret']),
  );
});

test('a certificate authority is set only where one is given', () => {
  const given = webhookConfiguration({ ...ENDPOINT, certificateAuthority: 'UEVN' }).webhooks;
  expect(given.map(({ clientConfig }) => clientConfig.caBundle)).toEqual(webhooks.map(() => 'UEVN'));
  expect(webhooks.flatMap(({ clientConfig }) => Object.keys(clientConfig))).toEqual(webhooks.map(() => 'url'));
});

test('a cluster goes on where the endpoint does not answer, after a second at most (promise 5)', () => {
  for (const webhook of webhooks) {
    expect(webhook).toMatchObject({ failurePolicy: 'Ignore', timeoutSeconds: 1, sideEffects: 'None' });
  }
});

test('nothing is asked of what the scheduler waits for, and nothing that is written all the time', () => {
  const resources = webhooks.flatMap(({ rules }) => rules.flatMap((rule) => rule.resources));
  expect([...new Set(resources)].toSorted()).toEqual([
    'ec2nodeclasses',
    'events',
    'nodeclaims',
    'nodepools',
    'nodes',
    'nodes/status',
  ]);
});

test('writes of Kerf trigger no function', () => {
  for (const { matchConditions } of webhooks) {
    expect(matchConditions.map(({ name }) => name)).toContain('not-by-kerf');
  }
});

test('names are those that an API server takes: three parts, each once', () => {
  const names = webhooks.map(({ name }) => name);
  expect(metadata.name).toBe('kerf');
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z0-9-]+\.kerf\.dev$/);
});
