/** Wires the commands that read records: the credentials of the shell, one table, one bucket. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { optional } from '../../../apis/optional.ts';
import type { NodeClaimRecord } from '../../../core/model/node-claim-record.ts';
import type { DecisionArchive, DecisionLog } from '../../../ports/decision-log.ts';
import { DynamoDbDecisionLog } from '../../../providers/dynamodb/decision-log.ts';
import { DynamoDbNodeClaimStore } from '../../../providers/dynamodb/node-claim-store.ts';
import { textOption } from '../../options/option-fields.ts';
import { haveCredentials, regionOf } from '../shell-account.ts';
import { bucketNamed } from './bucket.ts';

export interface HistoryOptions {
  readonly table: string;
  /** @default without snapshots */
  readonly bucket: string | undefined;
  /** @default that of the shell */
  readonly region: string | undefined;
  /** @default that of the shell */
  readonly profile?: string | undefined;
}

/** *Errors:* OptionError for an invalid option, or without a region or credentials. */
export async function wireHistory(options: HistoryOptions): Promise<{
  /** `large` has the records that are not in the table. */
  readonly openLog: (large: DecisionArchive) => DecisionLog;
  readonly archive?: DecisionArchive;
  readonly nodeClaims: (cluster: string) => Promise<readonly NodeClaimRecord[]>;
}> {
  const tableName = textOption(options.table, '--table');
  const client = new DynamoDBClient(optional({ region: options.region, profile: options.profile }));
  const region = await regionOf(client);
  await haveCredentials(client);
  const { bucket } = options;
  const archive =
    bucket === undefined
      ? undefined
      : bucketNamed(textOption(bucket, '--bucket'), { region, ...optional({ profile: options.profile }) }).archive;
  const store = new DynamoDbNodeClaimStore({ client, tableName });
  return {
    openLog: (large) => new DynamoDbDecisionLog({ client, tableName, archive: large }),
    ...optional({ archive }),
    nodeClaims: async (cluster) => store.listNodeClaims(cluster),
  };
}
