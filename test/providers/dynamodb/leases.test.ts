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
import { NOW_MS } from '../../builders/times.ts';

const client = new DynamoDBClient({ region: 'us-east-1', maxAttempts: 1 });
const dynamo = mockClient(client);
const leases = new DynamoDbLeases({ client, tableName: 'kerf', clock: { now: () => NOW_MS } });

/** The item after the call. */
const written = ({ ExpressionAttributeValues = {} }: UpdateItemCommand['input']) =>
  Object.fromEntries(
    Object.entries(unmarshall(ExpressionAttributeValues)).map(([name, value]) => [name.replace(':set_', ''), value]),
  );

test.each([
  ['is held if the first try succeeded', {}, 'held'],
  ['is not held if another holder acquired it', { leaseHolder: 'another' }, 'changed'],
])('a lease whose acquisition is repeated after a lost response %s', async (_, over, kind) => {
  dynamo.on(GetItemCommand).resolves({});
  dynamo.on(UpdateItemCommand).callsFake((input: UpdateItemCommand['input']) => {
    const Item = marshall({ ...written(input), ...over });
    throw new ConditionalCheckFailedException({ message: 'failed', $metadata: {}, Item });
  });
  const acquired = await leases.acquire(await leases.see({ cluster: 'demo', work: 'provisioning' }));
  expect(acquired.kind).toBe(kind);
});
