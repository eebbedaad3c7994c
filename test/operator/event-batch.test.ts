import type { SQSRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { type HandledEvent, handleInterruption, type InterruptionPorts } from '../../lib/controllers/interruption.ts';
import { answerEvents } from '../../lib/operator/lambda/queue-batch.ts';
import { RefusedError, StaleRecordError, UnreachableError } from '../../lib/ports/errors.ts';
import { aRunReport } from '../builders/decisions.ts';
import { anInterruptionEvent } from '../builders/interruptions.ts';
import { CONTEXT, failedOf, message, recordingRuntime } from './messages.ts';

const REPORT = aRunReport({ controller: 'interruption' });

/** A value of JSON that cannot be converted to a text. */
const NO_TEXT = { toString: 1 };

const DONE = { reports: [REPORT], failures: [] };

function batch(records: readonly SQSRecord[], context = CONTEXT) {
  return { event: { Records: [...records] }, context };
}

test('each event is handled by itself: one that fails brings back no other', async () => {
  const { runtime, seen } = recordingRuntime();
  const event = batch([message('1', { n: 1 }), message('2', 'no JSON'), message('3', { n: 3 })]);
  expect(failedOf(await answerEvents(runtime, event, async () => DONE))).toEqual(['2']);
  expect(seen.said.toSorted()).toEqual(['failed to handle an event', 'report demo 0', 'report demo 0']);
});

test('an event with a value that has no text brings back no other', async () => {
  const { runtime } = recordingRuntime();
  const ports: InterruptionPorts = Object.create(null);
  const spoiled = anInterruptionEvent('EC2 Instance State-change Notification', {
    'instance-id': 'i-1',
    state: NO_TEXT,
  });
  const entities = { service: 'EC2', eventTypeCategory: 'scheduledChange', affectedEntities: [NO_TEXT] };
  const health = { source: 'aws.health', resources: [NO_TEXT] };
  const event = batch([
    message('1', spoiled),
    message('2', anInterruptionEvent('AWS Health Event', entities, health)),
    message('3', anInterruptionEvent('AWS Health Event', { service: 'S3', eventTypeCategory: 'issue' }, health)),
  ]);
  const answer = await answerEvents(runtime, event, async (envelope, receives) =>
    handleInterruption(ports, envelope, receives),
  );
  expect(failedOf(answer)).toEqual(['1', '2']);
});

test('two minutes are left to a spot instance: an event is delivered again soon after every failure', async () => {
  const { runtime, seen } = recordingRuntime();
  const failures = [new StaleRecordError('another run has written the record'), new RefusedError('no permission')];
  const handle = async (envelope: unknown): Promise<HandledEvent> =>
    await Promise.reject(failures[Number(Reflect.get(Object(envelope), 'n'))]);
  const event = batch([message('1', { n: 0 }), message('2', { n: 1 }, 4)]);
  expect(failedOf(await answerEvents(runtime, event, handle))).toEqual(['1', '2']);
  expect(seen.retried).toEqual([
    { ids: ['handle-1'], seconds: 1 },
    { ids: ['handle-2'], seconds: 5 },
  ]);
  expect(seen.said).toEqual(['conflict: the event is retried', 'failed to handle an event']);
});

test('an event is handled with the number of its deliveries', async () => {
  const { runtime } = recordingRuntime();
  const seen: number[] = [];
  await answerEvents(runtime, batch([message('1', {}, 30)]), async (_, receives) => {
    seen.push(receives);
    return DONE;
  });
  expect(seen).toEqual([30]);
});

test('an event of which one instance failed is reported for the others, and delivered again', async () => {
  const { runtime, seen } = recordingRuntime();
  const partly = { reports: [REPORT], failures: [new UnreachableError('throttled')] };
  expect(failedOf(await answerEvents(runtime, batch([message('1', {})]), async () => partly))).toEqual(['1']);
  expect(seen.said).toEqual(['report demo 0', 'failed to handle an event']);
});

test('an event whose handling hangs is abandoned before the time limit, and the others are done', async () => {
  const { runtime } = recordingRuntime();
  const event = batch([message('1', { hangs: true }), message('2', {})], { getRemainingTimeInMillis: () => 3_010 });
  const handle = async (envelope: unknown): Promise<HandledEvent> =>
    'hangs' in Object(envelope) ? await Promise.withResolvers<never>().promise : DONE;
  expect(failedOf(await answerEvents(runtime, event, handle))).toEqual(['1']);
});
