/** The interruption function's wiring: the table, the queues and the bus, but neither EC2 nor any cluster. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { ControllerPorts } from '../controllers/ports.ts';
import { EventBridgeDecisionBus } from '../providers/aws/decision-bus.ts';
import { awsMessages } from '../providers/aws/messages.ts';
import { SqsWakeQueue } from '../providers/aws/wake-queue.ts';
import { DynamoDbCatalogueStore } from '../providers/dynamodb/catalogue-store.ts';
import { DynamoDbNodeClaimStore } from '../providers/dynamodb/node-claim-store.ts';
import { type Environment, interruptionOptions } from './options.ts';
import { systemClock } from './system-clock.ts';
import { type Telemetry, telemetryOf } from './telemetry.ts';

/** *Errors:* OptionError. */
export function wireInterruption(environment: Environment = process.env): {
  readonly ports: Pick<ControllerPorts, 'store' | 'catalogue' | 'messages' | 'clock'>;
  readonly telemetry: Telemetry;
} {
  const { region, table: tableName, eventBus: busName, queueUrls } = interruptionOptions(environment);
  const client = new DynamoDBClient();
  const queue = new SqsWakeQueue({ client: new SQSClient(), queueUrls });
  const bus = new EventBridgeDecisionBus({ client: new EventBridgeClient(), busName });
  const ports = {
    store: new DynamoDbNodeClaimStore({ client, tableName }),
    catalogue: new DynamoDbCatalogueStore({ client, tableName, region }),
    messages: awsMessages(queue, bus),
    clock: systemClock,
  };
  return { ports, telemetry: telemetryOf('interruption') };
}
