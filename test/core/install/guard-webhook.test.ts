import { describe, expect, test } from 'vitest';
import { formatTime } from '../../../lib/apis/formats/time.ts';
import {
  FAILED_AT,
  FAILED_PROBES,
  type FoundWebhookConfiguration,
  guardWebhook,
  type WebhookStep,
} from '../../../lib/core/install/guard-webhook.ts';
import { webhookConfiguration } from '../../../lib/core/install/webhook-configuration.ts';
import { MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const wanted = webhookConfiguration({ url: 'https://hooks.test/', cluster: 'demo', secret: 's3cret' });

function found(overrides: Partial<FoundWebhookConfiguration> = {}): FoundWebhookConfiguration {
  return { resourceVersion: '7', annotations: {}, webhooks: wanted.webhooks, ...overrides };
}

/** As a tick left it that long ago. */
function failed(count: string, agoMs = MINUTE): Readonly<Record<string, string>> {
  return { [FAILED_PROBES]: count, [FAILED_AT]: formatTime(NOW_MS - agoMs) };
}

function well(is: FoundWebhookConfiguration | undefined): WebhookStep {
  return guardWebhook({ wanted, found: is, whyUnwell: undefined }, NOW_MS);
}

function unwell(is: FoundWebhookConfiguration | undefined): WebhookStep {
  return guardWebhook({ wanted, found: is, whyUnwell: 'it answered 502' }, NOW_MS);
}

const FORGIVEN = { [FAILED_PROBES]: null, [FAILED_AT]: null };

describe('an endpoint that answers', () => {
  test('leaves a configuration alone that is as it must be', () => {
    expect(well(found())).toEqual({ kind: 'keep' });
  });

  test('gets its configuration back after it was deleted', () => {
    expect(well(undefined)).toEqual({ kind: 'create' });
  });

  test('gets its webhooks back after it failed, and all is forgiven', () => {
    expect(well(found({ annotations: failed('3'), webhooks: [] }))).toEqual({
      kind: 'patch',
      patch: { annotations: FORGIVEN, webhooks: wanted.webhooks },
    });
  });

  test('is forgiven a failed probe without a write to the webhooks', () => {
    expect(well(found({ annotations: failed('2') }))).toEqual({ kind: 'patch', patch: { annotations: FORGIVEN } });
  });

  const [first] = wanted.webhooks;
  test.each([
    ['another address', { clientConfig: { url: 'https://elsewhere.test/' } }],
    ['an authority that is not ours', { clientConfig: { url: first?.clientConfig.url, caBundle: 'UEVN' } }],
    ['a failure that stops the cluster', { failurePolicy: 'Fail' }],
    ['a longer wait', { timeoutSeconds: 30 }],
    ['rules of others', { rules: [] }],
    ['a narrower choice', { objectSelector: { matchLabels: { a: 'b' } } }],
    ['no condition', { matchConditions: undefined }],
  ])('gets it back in the correct form after a user wrote %s', (_, edit) => {
    const webhooks = wanted.webhooks.map((each, index) => (index === 0 ? { ...each, ...edit } : each));
    expect(well(found({ webhooks }))).toMatchObject({ kind: 'patch', patch: { webhooks: wanted.webhooks } });
  });

  test('additional fields and another order from the API server are not an edit', () => {
    const webhooks = wanted.webhooks.map((each) => ({
      ofLater: true,
      ...Object.fromEntries(Object.entries(each).toReversed()),
    }));
    expect(well(found({ webhooks }))).toEqual({ kind: 'keep' });
  });

  test('a webhook more or less than ours is an edit', () => {
    expect(well(found({ webhooks: [...wanted.webhooks, {}] }))).toMatchObject({ kind: 'patch' });
    expect(well(found({ webhooks: wanted.webhooks.slice(1) }))).toMatchObject({ kind: 'patch' });
  });
});

describe('an endpoint that does not answer', () => {
  test.each([
    ['the first time', {}, '1'],
    ['the second time', failed('1'), '2'],
    ['for the first time, by an annotation that is not a number', failed('many'), '1'],
    ['for the second time, by an annotation that is not a time', { [FAILED_PROBES]: '1', [FAILED_AT]: 'soon' }, '2'],
  ])('is counted %s, and keeps its webhooks', (_, annotations, count) => {
    const step = unwell(found({ annotations }));
    expect(step).toMatchObject({ complaint: `webhook probe ${count} of 3 failed: it answered 502` });
    expect(step).toHaveProperty('patch', {
      annotations: { [FAILED_PROBES]: count, [FAILED_AT]: formatTime(NOW_MS) },
    });
  });

  test('loses its webhooks the third time: the object stays, and with it the count', () => {
    expect(unwell(found({ annotations: failed('2') }))).toMatchObject({
      kind: 'patch',
      patch: { annotations: { [FAILED_PROBES]: '3' }, webhooks: [] },
      complaint: expect.stringContaining('disabled after 3 failed probes'),
      isDisabled: true,
    });
  });

  test.each([0, 29 * SECOND, -29 * SECOND])('is not counted twice for a tick that came again %i ms later', (agoMs) => {
    expect(unwell(found({ annotations: failed('2', agoMs) }))).toEqual({ kind: 'keep' });
  });

  test('is counted although the last failure is in the future because of a wrong clock', () => {
    expect(unwell(found({ annotations: failed('1', -MINUTE) }))).toMatchObject({ kind: 'patch' });
  });

  test.each([
    ['was taken away', found({ annotations: failed('3'), webhooks: [] })],
    ['was emptied by hand', found({ webhooks: [] })],
    ['was deleted', undefined],
  ])('gets nothing back that %s, and nothing is written', (_, is) => {
    const complaint = expect.stringContaining('it answered 502');
    expect(unwell(is)).toEqual({ kind: 'keep', complaint, isDisabled: true });
  });

  test('also restores a changed URL', () => {
    const webhooks = wanted.webhooks.map((each) => ({ ...each, clientConfig: { url: 'https://elsewhere.test/' } }));
    expect(unwell(found({ webhooks }))).toMatchObject({ patch: { webhooks: wanted.webhooks } });
  });
});
