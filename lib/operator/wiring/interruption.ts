/** Wires the interruption function: the table, the queues, the bus, and EC2 to find the owner of an instance; no cluster. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { InterruptionPorts } from '../../controllers/interruption.ts';
import type { MessageRuntime } from '../../controllers/run/retry-soon.ts';
import { instanceOwners } from '../../providers/aws/instances/instances.ts';
import { EventBridgeDecisionBus } from '../../providers/aws/messages/decision-bus.ts';
import { awsMessages } from '../../providers/aws/messages/messages.ts';
import { SqsWakeQueue } from '../../providers/aws/messages/wake-queue.ts';
import { DynamoDbCatalogueStore } from '../../providers/dynamodb/catalogue-store.ts';
import { DynamoDbNodeClaimStore } from '../../providers/dynamodb/node-claim-store.ts';
import { queueRedelivery } from '../lambda/queue-retry.ts';
import { systemClock } from '../lambda/system-clock.ts';
import { type Environment, interruptionOptions } from '../options/options.ts';
import { telemetryOf } from '../telemetry/telemetry.ts';
import { budgetedEc2 } from './ec2-client.ts';
import { recorderIn } from './records/recorder.ts';
import { SDK_CONNECTIONS } from './sdk-timeouts.ts';

/** A spot instance has two minutes left: a call that hangs must leave time for the next delivery. */
const EVENT_TIMEOUTS = {
  ...SDK_CONNECTIONS,
  connectionTimeout: 1_000,
  requestTimeout: 4_000,
  throwOnRequestTimeout: true,
};

/** *Errors:* OptionError. */
export function wireInterruption(environment: Environment = process.env): {
  readonly ports: InterruptionPorts;
  readonly runtime: MessageRuntime;
} {
  const {
    region,
    table: tableName,
    eventBus: busName,
    ownQueueUrl,
    queueUrls,
    clusters,
    shadows,
  } = interruptionOptions(environment);
  const client = new DynamoDBClient({ requestHandler: EVENT_TIMEOUTS });
  const sqs = new SQSClient({ requestHandler: EVENT_TIMEOUTS });
  const { client: ec2 } = budgetedEc2({
    dynamodb: client,
    tableName,
    region,
    config: { requestHandler: EVENT_TIMEOUTS },
  });
  const queue = new SqsWakeQueue({ client: sqs, queueUrls });
  const bus = new EventBridgeDecisionBus({
    client: new EventBridgeClient({ requestHandler: EVENT_TIMEOUTS }),
    busName,
  });
  const ports = {
    store: new DynamoDbNodeClaimStore({ client, tableName, clock: systemClock }),
    catalogue: new DynamoDbCatalogueStore({ client, tableName, region }),
    messages: awsMessages(queue, bus),
    clock: systemClock,
    cloud: { instanceOwners: async (ids: readonly string[]) => instanceOwners(ec2, ids) },
    clusters,
    shadows,
  };
  const runtime = {
    telemetry: telemetryOf('interruption', tableName),
    recorder: recorderIn({ table: { client, tableName } }),
    redelivery: queueRedelivery(sqs, ownQueueUrl),
  };
  return { ports, runtime };
}
