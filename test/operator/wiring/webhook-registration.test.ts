import { expect, test } from 'vitest';
import { OptionError } from '../../../lib/operator/options/option-values.ts';
import { webhookAddress } from '../../../lib/operator/options/options.ts';
import { webhookEndpointOf, webhookRegistrationOf } from '../../../lib/operator/wiring/webhook-registration.ts';
import { ApiClient } from '../../../lib/providers/kubernetes/client/api-client.ts';

const TOLD = { WEBHOOK_URL: 'https://url.lambda-url.test/', WEBHOOK_SECRET: 's3cret' };

test("an API server calls the Function URL, unless its cluster's configuration has another address", () => {
  const address = webhookAddress(TOLD);
  expect(webhookEndpointOf({ name: 'demo' }, address)).toEqual({
    url: 'https://url.lambda-url.test/',
    cluster: 'demo',
    secret: 's3cret',
  });
  const own = { name: 'demo', webhookUrl: 'https://hooks.test/kerf/', webhookCertificateAuthority: 'UEVN' };
  expect(webhookEndpointOf(own, address)).toEqual({
    url: 'https://hooks.test/kerf/',
    cluster: 'demo',
    secret: 's3cret',
    certificateAuthority: 'UEVN',
  });
});

test('the webhook is not managed with install: false', () => {
  const client = new ApiClient({ endpoint: 'https://demo.test' });
  expect(webhookRegistrationOf({ name: 'demo', install: false }, webhookAddress(TOLD), client)).toBeUndefined();
  const registration = webhookRegistrationOf({ name: 'demo' }, webhookAddress(TOLD), client);
  expect(registration?.wanted.webhooks[0]?.clientConfig.url).toBe('https://url.lambda-url.test/demo/s3cret');
});

test('a function in a VPC gets this setting', () => {
  expect(webhookAddress(TOLD).fromVpc).toBe(false);
  expect(webhookAddress({ ...TOLD, VPC_ID: 'vpc-1' }).fromVpc).toBe(true);
});

test.each(['WEBHOOK_URL', 'WEBHOOK_SECRET'])('%s is named where it is missing', (variable) => {
  expect(() => webhookAddress({ ...TOLD, [variable]: '' })).toThrow(OptionError);
  expect(() => webhookAddress({ ...TOLD, [variable]: undefined })).toThrow(`${variable} is not set`);
});
