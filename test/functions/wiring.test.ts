import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { QueueBatch } from '../../lib/operator/lambda/queue-batch.ts';

beforeAll(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-3');
  vi.stubEnv('LAMBDA_TASK_ROOT', `${import.meta.dirname}/../..`);
  vi.stubEnv('CLUSTERS', '{"demo":{}}');
  vi.stubEnv('TABLE_NAME', 'state');
  vi.stubEnv('ACCOUNT_ID', '111122223333');
  vi.stubEnv('BODIES_BUCKET_NAME', 'bodies');
  vi.stubEnv('EVENT_BUS_NAME', 'decisions');
  vi.stubEnv('WEBHOOK_URL', 'https://hooks.test/');
  vi.stubEnv('WEBHOOK_SECRET', 's3cret');
  vi.stubEnv('OWN_QUEUE_URL', 'https://sqs.test/own');
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'SILENT');
  for (const target of ['PROVISIONING', 'LIFECYCLE', 'DISRUPTION', 'TERMINATION', 'CATALOGUE']) {
    vi.stubEnv(`${target}_QUEUE_URL`, `https://sqs.test/${target}`);
  }
});

afterAll(() => {
  vi.unstubAllEnvs();
});

interface Woken {
  readonly handler: (event: SQSEvent, context: QueueBatch['context']) => Promise<SQSBatchResponse>;
}

const HANDLERS: Readonly<Record<string, () => Promise<Woken>>> = {
  provisioning: async () => await import('../../functions/provisioning/handler.ts'),
  lifecycle: async () => await import('../../functions/lifecycle/handler.ts'),
  disruption: async () => await import('../../functions/disruption/handler.ts'),
  termination: async () => await import('../../functions/termination/handler.ts'),
  interruption: async () => await import('../../functions/interruption/handler.ts'),
};

function batchOf(body: string): SQSEvent {
  const attributes = {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: '',
    ApproximateFirstReceiveTimestamp: '0',
  };
  const record = { messageId: 'm', receiptHandle: 'r', body, attributes, messageAttributes: {}, md5OfBody: '' };
  return {
    Records: [
      { ...record, eventSource: 'aws:sqs', eventSourceARN: 'arn:aws:sqs:eu-west-3:1:q', awsRegion: 'eu-west-3' },
    ],
  };
}

const CONTEXT = { getRemainingTimeInMillis: () => 60_000 };

test.each(Object.entries(HANDLERS))(
  '%s loads with the environment of the stack, and gives a broken message back',
  async (_, load) => {
    const { handler } = await load();
    expect(await handler(batchOf('{'), CONTEXT)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm' }] });
  },
);

test('catalogue loads, with the price tables of its region', async () => {
  await expect(import('../../functions/catalogue/handler.ts')).resolves.toHaveProperty('handler');
});
