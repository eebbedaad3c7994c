import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { DynamoDbCatalogueStore } from '../../../lib/providers/dynamodb/catalogue-store.ts';
import { NOW_MS } from '../../builders/times.ts';

const client = new DynamoDBClient({ region: 'us-east-1', maxAttempts: 1 });
const dynamo = mockClient(client);
const store = new DynamoDbCatalogueStore({ client, tableName: 'kerf', region: 'us-east-1' });

const MARK = { instanceType: 'm5.large', zone: 'a', capacityType: 'spot', reason: 'none', atMs: NOW_MS } as const;

/** What the table holds of the offering: a first mark that ended at `untilMs`. */
const stored = (untilMs: number) => ({ markedAtMs: untilMs - 3 * MINUTE_MS, untilMs, strikes: 1 });

const refused = (found?: object) =>
  new ConditionalCheckFailedException({
    message: 'failed',
    $metadata: {},
    ...(found === undefined ? {} : { Item: marshall(found) }),
  });

const writes = () => dynamo.commandCalls(PutItemCommand).map((call) => call.args[0].input);

beforeEach(() => {
  dynamo.reset();
  dynamo.on(PutItemCommand).resolves({});
});

test('what is new takes one write, and is remembered for an hour after its end', async () => {
  await store.markUnavailable([MARK]);
  expect(writes()).toHaveLength(1);
  expect(writes()[0]).toMatchObject({ ConditionExpression: 'attribute_not_exists(pk)' });
  expect(unmarshall(writes()[0]?.Item ?? {})).toMatchObject({
    pk: 'unavailable#us-east-1',
    sk: 'offering#spot/m5.large/a',
    untilMs: NOW_MS + 3 * MINUTE_MS,
    expiresAt: (NOW_MS + 3 * MINUTE_MS + HOUR_MS) / 1_000,
  });
});

test('what is remembered is changed only as it was seen', async () => {
  dynamo
    .on(PutItemCommand)
    .rejectsOnce(refused(stored(NOW_MS - MINUTE_MS)))
    .resolves({});
  await store.markUnavailable([MARK]);
  expect(writes()[1]).toMatchObject({
    ConditionExpression: 'markedAtMs = :marked',
    ExpressionAttributeValues: marshall({ ':marked': NOW_MS - 4 * MINUTE_MS }),
  });
  expect(unmarshall(writes()[1]?.Item ?? {})).toMatchObject({ untilMs: NOW_MS + 6 * MINUTE_MS, strikes: 2 });
});

test('what another cluster marked a moment before is left as it is', async () => {
  dynamo.on(PutItemCommand).rejects(refused({ ...stored(NOW_MS + 3 * MINUTE_MS - 50) }));
  await store.markUnavailable([MARK]);
  expect(writes()).toHaveLength(1);
});

test('a mark that was forgotten between two looks is a first one', async () => {
  dynamo
    .on(PutItemCommand)
    .rejectsOnce(refused(stored(0)))
    .rejectsOnce(refused())
    .resolves({});
  await store.markUnavailable([MARK]);
  expect(writes()[2]).toMatchObject({ ConditionExpression: 'attribute_not_exists(pk)' });
});

test('one that others change all the time is given up, and may be tried again', async () => {
  let ends = NOW_MS - HOUR_MS;
  dynamo.on(PutItemCommand).callsFake(() => {
    ends += MINUTE_MS;
    throw refused(stored(ends));
  });
  await expect(store.markUnavailable([MARK])).rejects.toBeInstanceOf(UnreachableError);
});

test('an item of another shape is passed over', async () => {
  dynamo.on(QueryCommand).resolves({ Items: [marshall({ pk: 'u', sk: 'offering#spot#m5.large#a', untilMs: 9e15 })] });
  expect(await store.listUnavailable(NOW_MS)).toEqual([]);
});
