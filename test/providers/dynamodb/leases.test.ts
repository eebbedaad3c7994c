import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { DynamoDbLeases } from '../../../lib/providers/dynamodb/leases.ts';
import { NOW_MS } from '../../contract/records.ts';

const client = new DynamoDBClient({ region: 'us-east-1', maxAttempts: 1 });
const dynamo = mockClient(client);
const leases = new DynamoDbLeases({ client, tableName: 'kerf', clock: { now: () => NOW_MS } });

/** What the call would set, as the table then has it. */
const written = ({ ExpressionAttributeValues = {} }: UpdateItemCommand['input']) =>
  Object.fromEntries(
    Object.entries(unmarshall(ExpressionAttributeValues)).map(([name, value]) => [name.replace(':set_', ''), value]),
  );

test.each([
  ['is held by whoever finds that the first try has it already', {}, 'held'],
  ['that another took meanwhile is not', { leaseHolder: 'another' }, 'changed'],
])('a lease whose acquisition is sent again, since its reply was lost, %s', async (_, over, kind) => {
  dynamo.on(GetItemCommand).resolves({});
  dynamo.on(UpdateItemCommand).callsFake((input: UpdateItemCommand['input']) => {
    const Item = marshall({ ...written(input), ...over });
    throw new ConditionalCheckFailedException({ message: 'failed', $metadata: {}, Item });
  });
  const acquired = await leases.acquire(await leases.see({ cluster: 'demo', work: 'provisioning' }));
  expect(acquired.kind).toBe(kind);
});
