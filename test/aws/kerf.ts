/**
 * Kerf's functions in this process, wired as in Lambda: EC2 is a separate moto; queues, bus and table are ministack's. The test
 * replaces Lambda's pollers, so that it can deliver a message five times.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeInstancesCommand, EC2Client, type Instance } from '@aws-sdk/client-ec2';
import { CreateEventBusCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { IAMClient } from '@aws-sdk/client-iam';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { handleInterruption } from '../../lib/controllers/interruption.ts';
import { reconcileLifecycle } from '../../lib/controllers/lifecycle.ts';
import { reconcileProvisioning } from '../../lib/controllers/provisioning.ts';
import type { Reconcile } from '../../lib/controllers/run/ports.ts';
import { reconcileTermination } from '../../lib/controllers/termination.ts';
import { readCatalogue } from '../../lib/core/instance-type/catalogue.ts';
import type { NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import { answerEvents, answerWakes } from '../../lib/operator/lambda/queue-batch.ts';
import { writeClusters } from '../../lib/operator/options/cluster-options.ts';
import { CLUSTER_FUNCTIONS, VARIABLES } from '../../lib/operator/options/options.ts';
import { wireController } from '../../lib/operator/wiring/controller.ts';
import { wireInterruption } from '../../lib/operator/wiring/interruption.ts';
import { DynamoDbCatalogueStore } from '../../lib/providers/dynamodb/catalogue-store.ts';
import { DynamoDbNodeClaimStore } from '../../lib/providers/dynamodb/node-claim-store.ts';
import { CACHE, motoEndpoints } from '../../scripts/emulators.ts';
import { startMoto } from '../../scripts/moto/moto.ts';
import { readJson } from '../stack/json.ts';
import { type Ec2World, ec2World } from './ec2-world.ts';
import { MotoControl } from './moto-control.ts';
import { spotWarning } from './spot-warning.ts';
import { testTable } from './table.ts';

export type WokenFunction = 'provisioning' | 'lifecycle' | 'termination';

export interface Kerf {
  readonly world: Ec2World;
  readonly moto: MotoControl;
  readonly catalogue: DynamoDbCatalogueStore;
  readonly ec2: EC2Client;
  readonly claims: () => Promise<readonly NodeClaimRecord[]>;
  /** Every instance that was ever launched for the cluster, in any state. */
  readonly everLaunched: () => Promise<readonly Instance[]>;
  /** Removes it as if EC2 no longer had it. */
  readonly release: (record: NodeClaimRecord) => Promise<void>;
  /** What the schedule does every minute. */
  readonly tick: () => Promise<void>;
  readonly wake: (name: WokenFunction, nodeClaim?: string) => Promise<void>;
  /** Reads every queue once and delivers each message `times` times at once. *Shape:* the number of messages. */
  readonly deliver: (times?: number) => Promise<number>;
  /** Delivers an event of EC2 to the interruption function `times` times at once. */
  readonly interrupt: (instanceId: string, times?: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const RECONCILE: Readonly<Record<WokenFunction, Reconcile>> = {
  provisioning: reconcileProvisioning,
  lifecycle: reconcileLifecycle,
  termination: reconcileTermination,
};
const FUNCTIONS: readonly WokenFunction[] = ['provisioning', 'lifecycle', 'termination'];
const CONTEXT = { getRemainingTimeInMillis: () => 60_000 };

/** @param endpoint the cluster's API server. */
export async function startKerf(endpoint: string): Promise<Kerf> {
  const folder = mkdtempSync(join(tmpdir(), 'kerf-faults-'));
  const server = await startMoto(CACHE, folder);
  // The wiring creates the clients and reads the environment, which only this test file uses.
  Object.assign(process.env, motoEndpoints(server));
  const clients = { ec2: new EC2Client({}), iam: new IAMClient({}), sqs: new SQSClient({}) };
  const [world, table, urls] = await Promise.all([
    ec2World(clients.ec2, clients.iam),
    testTable({}),
    makeQueues(clients.sqs),
  ]);
  const eventBus = `kerf-${randomUUID().slice(0, 8)}`;
  await new EventBridgeClient({}).send(new CreateEventBusCommand({ Name: eventBus }));
  const store = new DynamoDbNodeClaimStore(table);
  const catalogue = new DynamoDbCatalogueStore({ ...table, region: 'us-east-1' });
  await catalogue.writeCatalogue(
    readCatalogue(readJson('data/instance-types.json'), readJson('data/regions/us-east-1.json')),
  );
  const environment = environmentOf({ world, endpoint, urls, tableName: table.tableName, eventBus });
  const functions = functionsOf(clients.sqs, urls, environment);
  const wake: Kerf['wake'] = async (name, nodeClaim) => {
    const Body = JSON.stringify({ cluster: world.cluster, reason: 'tick', nodeClaim });
    await functions.invoke(name, recordOf({ Body }));
  };
  return {
    world,
    catalogue,
    moto: new MotoControl(server.endpoint),
    ec2: clients.ec2,
    claims: async () => await store.listNodeClaims(world.cluster),
    release: async (record) => void (await store.updateNodeClaim({ ...record, releasedAtMs: Date.now() })),
    everLaunched: async () => await everLaunched(clients.ec2, world.cluster),
    ...functions,
    wake,
    tick: async () => {
      for (const name of FUNCTIONS) await wake(name);
    },
    close: async () => {
      await Promise.all([table.close(), server.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function makeQueues(sqs: SQSClient): Promise<Readonly<Record<string, string>>> {
  const run = randomUUID().slice(0, 8);
  const made = await Promise.all(
    [...CLUSTER_FUNCTIONS, 'interruption'].map(async (name) => {
      const Attributes = { VisibilityTimeout: '2' };
      const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: `${name}-${run}`, Attributes }));
      return [name, QueueUrl] as const;
    }),
  );
  return Object.fromEntries(made);
}

function environmentOf(parts: {
  readonly world: Ec2World;
  readonly endpoint: string;
  readonly urls: Readonly<Record<string, string>>;
  readonly tableName: string;
  readonly eventBus: string;
}): Readonly<Record<string, string>> {
  const queues = CLUSTER_FUNCTIONS.map((name) => [VARIABLES.queue(name), parts.urls[name] ?? '']);
  return {
    ...Object.fromEntries(queues),
    AWS_REGION: 'us-east-1',
    [VARIABLES.table]: parts.tableName,
    [VARIABLES.account]: '000000000000',
    [VARIABLES.bodies]: 'kerf-bodies',
    [VARIABLES.eventBus]: parts.eventBus,
    [VARIABLES.clusters]: writeClusters([
      {
        name: parts.world.cluster,
        endpoint: parts.endpoint,
        serviceCidr: '10.100.0.0/16',
        kubernetesVersion: '1.35',
      },
    ]),
  };
}

function functionsOf(sqs: SQSClient, urls: Readonly<Record<string, string>>, shared: Readonly<Record<string, string>>) {
  const environment = (name: string) => ({ ...shared, [VARIABLES.ownQueue]: urls[name] ?? '' });
  const wired = Object.fromEntries(FUNCTIONS.map((name) => [name, wireController(name, environment(name))]));
  const interruption = wireInterruption(environment('interruption'));
  const invoke = async (name: WokenFunction, record: SQSRecord): Promise<SQSBatchResponse> => {
    const runtime = wired[name];
    if (runtime === undefined) throw new Error(`no function ${name}`);
    return await answerWakes(runtime, { event: { Records: [record] }, context: CONTEXT }, RECONCILE[name]);
  };
  return {
    invoke,
    deliver: async (times = 1): Promise<number> => {
      const counts = await Promise.all(
        FUNCTIONS.map((name) => deliverAll({ sqs, url: urls[name] ?? '', times, name, invoke })),
      );
      return counts.reduce((total, count) => total + count, 0);
    },
    interrupt: async (instanceId: string, times = 1): Promise<void> => {
      const record = recordOf({ Body: spotWarning(instanceId) });
      const handle = async (envelope: unknown, receives: number) =>
        await handleInterruption(interruption.ports, envelope, receives);
      const answers = Array.from({ length: times }, () =>
        answerEvents(interruption.runtime, { event: { Records: [record] }, context: CONTEXT }, handle),
      );
      await Promise.all(answers);
    },
  };
}

/** A message is deleted after its last delivery succeeded; otherwise it is delivered again, as in Lambda. */
async function deliverAll(queue: {
  readonly sqs: SQSClient;
  readonly url: string;
  readonly times: number;
  readonly name: WokenFunction;
  readonly invoke: (name: WokenFunction, record: SQSRecord) => Promise<SQSBatchResponse>;
}): Promise<number> {
  const { sqs, url: QueueUrl, times, name, invoke } = queue;
  const receive = {
    QueueUrl,
    MaxNumberOfMessages: 10,
    VisibilityTimeout: 30,
    MessageSystemAttributeNames: ['All' as const],
  };
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(receive));
  for (const message of Messages) {
    const deliveries = Array.from({ length: times }, () => invoke(name, recordOf(message)));
    const answers = await Promise.all(deliveries);
    if (answers.some(({ batchItemFailures }) => batchItemFailures.length > 0)) continue;
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
  }
  return Messages.length;
}

function recordOf({ Body = '', MessageId = randomUUID(), ReceiptHandle = '', Attributes }: Message): SQSRecord {
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: {
      ApproximateReceiveCount: Attributes?.ApproximateReceiveCount ?? '9',
      SentTimestamp: Attributes?.SentTimestamp ?? '',
      SenderId: 'test',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: '',
    awsRegion: 'us-east-1',
  };
}

/** moto keeps every instance, so terminated instances count too. */
async function everLaunched(ec2: EC2Client, cluster: string): Promise<readonly Instance[]> {
  const Filters = [{ Name: 'tag-key', Values: [`kubernetes.io/cluster/${cluster}`] }];
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ Filters, MaxResults: 1_000 }));
  return Reservations.flatMap(({ Instances = [] }) => Instances);
}
