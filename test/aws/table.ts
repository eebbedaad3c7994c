import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { DecisionArchive } from '../../lib/ports/decision-log.ts';
import { type Bodies, BodyBucket, BucketArchive } from '../../lib/providers/dynamodb/body-bucket.ts';
import { variable } from './deployment.ts';

export interface TestTable {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly close: () => Promise<void>;
}

/** The stores' contracts run on tables of ministack and of AWS's own DynamoDB Local. */
export const DYNAMODB: Readonly<Record<string, DynamoDBClientConfig>> = {
  'DynamoDB of ministack': {},
  'DynamoDB Local': { endpoint: variable('KERF_DYNAMODB_LOCAL') },
};

/** A table with the schema of the stack's table. */
export async function testTable(configuration: DynamoDBClientConfig): Promise<TestTable> {
  const client = new DynamoDBClient(configuration);
  const tableName = `kerf-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName: tableName });
  return {
    client,
    tableName,
    close: async () => {
      await client.send(new DeleteTableCommand({ TableName: tableName }));
      client.destroy();
    },
  };
}

export interface TestBucket {
  readonly bucket: string;
  readonly bodies: Bodies;
  readonly archive: DecisionArchive;
}

/** A bucket of ministack, which is deleted with the emulator. */
export async function testBucket(): Promise<TestBucket> {
  const client = new S3Client({});
  const bucket = `kerf-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return { bucket, bodies: new BodyBucket({ client, bucket }), archive: new BucketArchive({ client, bucket }) };
}
