/** Wires `kerf status`: the credentials of the shell, one table, the dead letters of its stack. Everything is only read. */
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, paginateListQueues, SQSClient } from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { optional } from '../../../apis/optional.ts';
import { compareText } from '../../../core/compare-text.ts';
import { errorMessage } from '../../../core/error-message.ts';
import type { ClusterFacts, DeploymentFacts } from '../../../core/status/deployment-status.ts';
import type { StatusSource } from '../../../ports/status-source.ts';
import { DynamoDbCatalogueStore } from '../../../providers/dynamodb/catalogue-store.ts';
import { DynamoDbDecisionLog } from '../../../providers/dynamodb/decision-log.ts';
import { openDecisionTimes } from '../../../providers/dynamodb/decisions.ts';
import { dynamoDbPortError } from '../../../providers/dynamodb/errors.ts';
import { clusterPartition, MARK } from '../../../providers/dynamodb/keys.ts';
import { DynamoDbLeases } from '../../../providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../../providers/dynamodb/node-claim-store.ts';
import { Table, type TableOptions } from '../../../providers/dynamodb/table.ts';
import { systemClock } from '../../lambda/system-clock.ts';
import { textOption } from '../../options/option-fields.ts';
import { haveCredentials, regionOf } from '../shell-account.ts';

export interface StatusOptions {
  readonly table: string;
  /** @default that of the shell */
  readonly region: string | undefined;
  /** @default that of the shell */
  readonly profile: string | undefined;
}

/** *Errors:* OptionError for an invalid option, or without a region or credentials. */
export async function wireStatus(options: StatusOptions): Promise<StatusSource> {
  const tableName = textOption(options.table, '--table');
  const config = optional({ region: options.region, profile: options.profile });
  const client = new DynamoDBClient(config);
  const region = await regionOf(client);
  await haveCredentials(client);
  const sqs = new SQSClient(config);
  return statusSource(
    { client, tableName },
    {
      region,
      clusters: async () => clustersIn(client, tableName),
      queues: async () => deadLetters(sqs, tableName),
    },
  );
}

interface Beside {
  readonly region: string;
  readonly clusters: StatusSource['clusters'];
  readonly queues: () => Promise<NonNullable<DeploymentFacts['deadLetters']>>;
}

/** @internal */
export function statusSource(table: TableOptions, { region, clusters, queues }: Beside): StatusSource {
  const items = new Table(table);
  const log = new DynamoDbDecisionLog(table);
  const store = new DynamoDbNodeClaimStore(table);
  const leases = new DynamoDbLeases({ ...table, clock: systemClock });
  const catalogue = new DynamoDbCatalogueStore({ ...table, region });
  return {
    clusters,
    async cluster(cluster): Promise<ClusterFacts> {
      const [marks, provisioning, disruption, openDecisionsMs, commands, nodeClaims] = await Promise.all([
        log.marks(cluster),
        leases.see({ cluster, work: 'provisioning' }),
        leases.see({ cluster, work: 'disruption' }),
        openDecisionTimes(items, cluster),
        store.listCommands(cluster),
        store.listNodeClaims(cluster),
      ]);
      const leasedAtMs = optional({ provisioning: provisioning.runAtMs, disruption: disruption.runAtMs });
      return { cluster, marks, leasedAtMs, openDecisionsMs, commands: commands.length, nodeClaims };
    },
    async deployment(): Promise<DeploymentFacts> {
      const [dead, read] = await Promise.allSettled([queues(), catalogue.readCatalogue()]);
      const prices = read.status === 'rejected' ? undefined : (read.value ?? ('none' as const));
      return {
        ...(dead.status === 'fulfilled' && { deadLetters: dead.value }),
        ...(prices !== undefined && { prices: prices === 'none' ? prices : timesOf(prices) }),
        unread: [
          ...(dead.status === 'fulfilled' ? [] : [`dead letters: ${errorMessage(dead.reason)}`]),
          ...(read.status === 'fulfilled' ? [] : [`prices: ${errorMessage(read.reason)}`]),
        ],
      };
    },
  };
}

function timesOf({ asOf, onDemandAsOf, spotAsOf }: Exclude<DeploymentFacts['prices'], 'none' | undefined>) {
  return { asOf, ...optional({ onDemandAsOf, spotAsOf }) };
}

/** *Cost:* a scan of the table, eventually consistent: an eighth of a dollar for each million items of 1 kB. */
async function clustersIn(client: DynamoDBClient, tableName: string): Promise<readonly string[]> {
  const names = new Set<string>();
  const input = {
    TableName: tableName,
    ProjectionExpression: 'pk',
    FilterExpression: 'begins_with(sk, :mark) AND begins_with(pk, :cluster)',
    ExpressionAttributeValues: { ':mark': { S: MARK }, ':cluster': { S: clusterPartition('') } },
  };
  try {
    for await (const { Items = [] } of paginateScan({ client }, input))
      for (const item of Items) names.add(String(unmarshall(item)['pk']).slice(clusterPartition('').length));
  } catch (error) {
    throw dynamoDbPortError(error, 'DynamoDB: scan for the clusters (or name one with --cluster)');
  }
  return [...names].toSorted(compareText);
}

/** The stack names its queues after itself, as it does its table: `Kerf-StateTable…`. */
async function deadLetters(
  client: SQSClient,
  tableName: string,
): Promise<readonly { readonly queue: string; readonly messages: number }[]> {
  const stack = /^(.+)-StateTable/.exec(tableName)?.[1];
  if (stack === undefined)
    throw new Error(`${tableName} does not have the name of its stack: look at the queues with kerf dead-letters`);
  const urls: string[] = [];
  for await (const { QueueUrls = [] } of paginateListQueues(
    { client },
    { QueueNamePrefix: `${stack}-`, MaxResults: 1_000 },
  ))
    urls.push(...QueueUrls.filter((url) => url.includes('DeadLetters')));
  return Promise.all(
    urls.map(async (url) => {
      const AttributeNames = ['ApproximateNumberOfMessages'] as const;
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...AttributeNames] }),
      );
      return {
        queue: url.slice(url.lastIndexOf('/') + 1),
        messages: Number(Attributes?.['ApproximateNumberOfMessages'] ?? 0),
      };
    }),
  );
}
