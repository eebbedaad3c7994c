import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { Decision } from '../../lib/core/model/decision.ts';
import type { Wake, WakeTarget } from '../../lib/ports/messages.ts';
import { EventBridgeDecisionBus } from '../../lib/providers/aws/messages/decision-bus.ts';
import { awsMessages } from '../../lib/providers/aws/messages/messages.ts';
import { SqsWakeQueue } from '../../lib/providers/aws/messages/wake-queue.ts';
import { messagesContract } from '../contract/messages.ts';

const TARGETS: readonly WakeTarget[] = ['provisioning', 'lifecycle', 'disruption', 'termination'];

messagesContract('SQS and EventBridge', async () => {
  const sqs = new SQSClient({});
  const events = new EventBridgeClient({});
  const run = randomUUID().slice(0, 8);
  const queueUrls = Object.fromEntries(
    await Promise.all(TARGETS.map(async (target) => [target, await createQueue(sqs, `${target}-${run}`)] as const)),
  );
  const heard = await createQueue(sqs, `heard-${run}`);
  await listen({ sqs, events, queue: heard, bus: `kerf-${run}` });
  const messages = awsMessages(
    new SqsWakeQueue({ client: sqs, queueUrls }),
    new EventBridgeDecisionBus({ client: events, busName: `kerf-${run}` }),
  );
  return {
    messages,
    received: async (target) => (await drain(sqs, queueUrls[target] ?? '')).map(wakeOf),
    heard: async () => {
      await wait(500);
      return (await drain(sqs, heard)).map(decisionOf);
    },
    pass: (ms) => wait(ms),
    close: async () => {
      for (const url of [heard, ...Object.values(queueUrls)]) await sqs.send(new DeleteQueueCommand({ QueueUrl: url }));
      sqs.destroy();
      events.destroy();
    },
  };
});

/** Reads a message that the test itself has sent, so it needs no schema. */
function wakeOf(body: string): Wake {
  return JSON.parse(body);
}

/** The event without its version. */
function decisionOf(body: string): Decision {
  const { formatVersion: _, ...decision } = JSON.parse(body).detail;
  return decision;
}

async function createQueue(sqs: SQSClient, name: string): Promise<string> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
  return QueueUrl ?? '';
}

/** A queue that receives all decisions of Kerf, as a user would create it. */
async function listen(on: {
  readonly sqs: SQSClient;
  readonly events: EventBridgeClient;
  readonly queue: string;
  readonly bus: string;
}): Promise<void> {
  const attributes = new GetQueueAttributesCommand({ QueueUrl: on.queue, AttributeNames: ['QueueArn'] });
  const arn = (await on.sqs.send(attributes)).Attributes?.['QueueArn'];
  const EventPattern = JSON.stringify({ source: ['kerf'], 'detail-type': ['Decision'] });
  await on.events.send(new CreateEventBusCommand({ Name: on.bus }));
  await on.events.send(new PutRuleCommand({ Name: on.bus, EventBusName: on.bus, EventPattern }));
  const Targets = [{ Id: 'queue', Arn: arn }];
  await on.events.send(new PutTargetsCommand({ Rule: on.bus, EventBusName: on.bus, Targets }));
}

/** Receives and deletes the visible messages. */
async function drain(sqs: SQSClient, url: string): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10 }));
    if (Messages.length === 0) return bodies;
    for (const { Body, ReceiptHandle } of Messages) {
      bodies.push(Body ?? '');
      await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
    }
  }
}
