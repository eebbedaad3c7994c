import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Action, Blocked } from '../../../../lib/core/model/decision.ts';
import { RefusedError, UnreachableError } from '../../../../lib/ports/errors.ts';
import { MAX_DELAY_MS } from '../../../../lib/ports/messages.ts';
import { EventBridgeDecisionBus } from '../../../../lib/providers/aws/messages/decision-bus.ts';
import { decisionDetail, LARGEST_DETAIL_BYTES } from '../../../../lib/providers/aws/messages/decision-detail.ts';
import { awsMessages } from '../../../../lib/providers/aws/messages/messages.ts';
import { SqsWakeQueue } from '../../../../lib/providers/aws/messages/wake-queue.ts';
import { aClaim } from '../../../builders/node-claims.ts';
import { aLaunchDecision, aLaunchOfTwoTypes, aRecord } from '../../../contract/records.ts';
import { awsError } from '../aws-error.ts';

describe('wakes', () => {
  const client = new SQSClient({ region: 'us-east-1', maxAttempts: 1 });
  const sqs = mockClient(client);
  const queue = new SqsWakeQueue({ client, queueUrls: { lifecycle: 'https://sqs/lifecycle' } });
  beforeEach(() => {
    sqs.reset();
    sqs.on(SendMessageCommand).resolves({});
  });

  test.each([
    [undefined, 0],
    [-1, 0],
    [1, 1],
    [1_500, 2],
    [MAX_DELAY_MS, 900],
    [MAX_DELAY_MS * 100, 900],
  ])('a delay of %s ms is %i s: rounded up, and at most the limit of SQS', async (delayMs, seconds) => {
    await queue.wake('lifecycle', { cluster: 'demo', reason: 'due' }, delayMs);
    expect(sqs.commandCalls(SendMessageCommand)[0]?.args[0].input).toEqual({
      QueueUrl: 'https://sqs/lifecycle',
      MessageBody: '{"cluster":"demo","reason":"due"}',
      DelaySeconds: seconds,
    });
  });

  test('a target without a queue is an error that lists the known ones', async () => {
    const sent = queue.wake('catalogue', { cluster: 'demo', reason: 'due' });
    await expect(sent).rejects.toThrow(/catalogue.*lifecycle/);
    await expect(sent).rejects.toBeInstanceOf(RefusedError);
  });

  test('a queue that does not respond is unreachable; a missing queue is rejected', async () => {
    sqs.on(SendMessageCommand).rejects(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
    await expect(queue.wake('lifecycle', { cluster: 'demo', reason: 'due' })).rejects.toBeInstanceOf(UnreachableError);
    sqs.on(SendMessageCommand).rejects(awsError('QueueDoesNotExist', 400));
    await expect(queue.wake('lifecycle', { cluster: 'demo', reason: 'due' })).rejects.toBeInstanceOf(RefusedError);
  });
});

const failed = (ErrorCode: string) => ({ FailedEntryCount: 1, Entries: [{ ErrorCode, ErrorMessage: 'x' }] });

describe('the bus', () => {
  const client = new EventBridgeClient({ region: 'us-east-1', maxAttempts: 1 });
  const events = mockClient(client);
  const bus = new EventBridgeDecisionBus({ client, busName: 'kerf' });
  beforeEach(() => {
    events.reset();
    events.on(PutEventsCommand).resolves({ FailedEntryCount: 0, Entries: [{ EventId: '1' }] });
  });

  test('a decision is one event that rules can match', async () => {
    await bus.publish(aLaunchDecision());
    expect(events.commandCalls(PutEventsCommand)[0]?.args[0].input.Entries).toEqual([
      {
        EventBusName: 'kerf',
        Source: 'kerf',
        DetailType: 'Decision',
        Detail: JSON.stringify({ formatVersion: 1, ...aLaunchDecision() }),
      },
    ]);
  });

  test('a wake of the catalogue, which has no queue, is an event that neither the archive nor rules on decisions match', async () => {
    const wake = { cluster: 'demo', reason: 'missing' };
    const queue = new SqsWakeQueue({ client: new SQSClient({ region: 'us-east-1' }), queueUrls: {} });
    await awsMessages(queue, bus).wake('catalogue', wake);
    expect(events.commandCalls(PutEventsCommand)[0]?.args[0].input.Entries).toEqual([
      { EventBusName: 'kerf', Source: 'kerf.wakes', DetailType: 'Catalogue', Detail: JSON.stringify(wake) },
    ]);
  });

  test('an entry that failed is an error although the call succeeded', async () => {
    events.on(PutEventsCommand).resolves(failed('InternalFailure'));
    await expect(bus.publish(aLaunchDecision())).rejects.toBeInstanceOf(UnreachableError);
    events.on(PutEventsCommand).resolves(failed('NotAuthorizedForSourceException'));
    await expect(bus.publish(aLaunchDecision())).rejects.toBeInstanceOf(RefusedError);
  });
});

const blocked = (index: number): Blocked => ({
  subject: { kind: 'Pod', namespace: 'default', name: `web-${index}` },
  reason: 'InsufficientResources',
  message: 'x'.repeat(200),
  numbers: {},
});

const sizeOf = (detail: string) => Buffer.byteLength(detail);

describe('the published event', () => {
  const launch: Action = { kind: 'launch-instance', nodeClaim: 'general-a', attempt: 1, request: aLaunchOfTwoTypes() };

  test('has no user data, and records that it was removed', () => {
    const detail: unknown = JSON.parse(decisionDetail(aLaunchDecision({ actions: [launch] })));
    expect(detail).toMatchObject({ id: 'decision-1', cut: { userData: 1, launchOptions: 0, actions: 0, blocked: 0 } });
    expect(JSON.stringify(detail)).not.toContain('/bin/bash');
  });

  test('of a launch has the five cheapest options', () => {
    const options = Array.from({ length: 180 }, () => aRecord().options[0]).filter((each) => each !== undefined);
    const actions = Array.from(
      { length: 20 },
      (): Action => ({ kind: 'create-node-claim', nodeClaim: aRecord({ options }) }),
    );
    const detail = decisionDetail(aLaunchDecision({ actions }));
    expect(sizeOf(detail)).toBeLessThanOrEqual(LARGEST_DETAIL_BYTES);
    expect(JSON.parse(detail)).toMatchObject({ cut: { launchOptions: 20 * 175, actions: 0, blocked: 0 } });
  });

  test('of a launch has the instance types of these options', () => {
    const { options, types } = aClaim();
    const names = Array.from({ length: 60 }, (_, index) => `type-${index}`);
    const nodeClaim = aRecord({
      options: names.flatMap((instanceType) => options.slice(0, 1).map((one) => ({ ...one, instanceType }))),
      types: names.flatMap((name) => types.slice(0, 1).map((one) => ({ ...one, name }))),
    });
    const detail = decisionDetail(aLaunchDecision({ actions: [{ kind: 'create-node-claim', nodeClaim }] }));
    const published = names.slice(0, 5).map((name) => expect.objectContaining({ name }));
    expect(JSON.parse(detail)).toMatchObject({ actions: [{ nodeClaim: { types: published } }] });
  });

  test('and the refusals of existing nodes, whatever the number of pods: the count of entries stays', () => {
    const pods = Array.from({ length: 10_000 }, (_, index) => `production/a-pod-with-a-long-name-${index}`);
    const refusal = { reason: 'NoNode', message: 'no existing node fits', numbers: {} } as const;
    const short = { ...aLaunchDecision(), onExistingNodes: [{ pods: pods.slice(0, 9), refusal }] };
    expect(JSON.parse(decisionDetail(short))).toEqual({ formatVersion: 1, ...short });
    const detail = decisionDetail({ ...aLaunchDecision(), onExistingNodes: [{ pods, refusal }] });
    expect(sizeOf(detail)).toBeLessThanOrEqual(LARGEST_DETAIL_BYTES);
    expect(JSON.parse(detail)).toEqual({
      formatVersion: 1,
      ...aLaunchDecision(),
      cut: { userData: 0, launchOptions: 0, actions: 0, blocked: 0, onExistingNodes: 1 },
    });
  });

  test('then refusals, then actions: as much as fits stays', () => {
    const few = aLaunchDecision({
      actions: [launch],
      blocked: Array.from({ length: 5_000 }, (_, index) => blocked(index)),
    });
    const detail = decisionDetail(few);
    expect(sizeOf(detail)).toBeLessThanOrEqual(LARGEST_DETAIL_BYTES);
    expect(sizeOf(detail)).toBeGreaterThan(LARGEST_DETAIL_BYTES - 1_000);
    expect(JSON.parse(detail)).toMatchObject({ actions: [{ kind: 'launch-instance' }], cut: { actions: 0 } });
    const many = aLaunchDecision({ actions: Array.from({ length: 5_000 }, () => launch), blocked: [blocked(1)] });
    expect(sizeOf(decisionDetail(many))).toBeLessThanOrEqual(LARGEST_DETAIL_BYTES);
    expect(JSON.parse(decisionDetail(many))).toMatchObject({ blocked: [], cut: { blocked: 1 } });
  });
});
