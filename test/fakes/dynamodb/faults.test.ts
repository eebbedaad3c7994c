import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test } from 'vitest';
import { NOW_MS } from '../../builders/times.ts';
import { conflict, internalError, type TableCall, throttled, timedOut } from './errors.ts';
import { inProcessTable, MAX_LAG_MS, type TableFaults } from './in-process-table.ts';

/** What DynamoDB Local cannot do. Each case follows the document that its name has. */

const TableName = 'kerf';

const key = (sk: string) => marshall({ pk: 'p', sk });

/** An update that has another effect each time. */
const addOne = (sk: string) => ({
  TableName,
  Key: key(sk),
  UpdateExpression: 'ADD n :one',
  ExpressionAttributeValues: marshall({ ':one': 1 }),
});

function aTable(faults: TableFaults = {}) {
  const clock = { nowMs: NOW_MS, now: () => clock.nowMs };
  const table = inProcessTable({ clock, faults });
  const { client } = table;
  return {
    clock,
    table,
    client,
    put: async (sk: string, n: number, more: object = {}) =>
      client.send(new PutItemCommand({ TableName, Item: marshall({ pk: 'p', sk, n, ...more }) })),
    get: async (sk: string, ConsistentRead = true) =>
      Number((await client.send(new GetItemCommand({ TableName, Key: key(sk), ConsistentRead }))).Item?.['n']?.N),
    remove: async (sk: string) => client.send(new DeleteItemCommand({ TableName, Key: key(sk) })),
    list: async (ConsistentRead: boolean) => {
      const KeyConditionExpression = 'pk = :pk';
      const ExpressionAttributeValues = marshall({ ':pk': 'p' });
      const query = new QueryCommand({ TableName, ConsistentRead, KeyConditionExpression, ExpressionAttributeValues });
      return ((await client.send(query)).Items ?? []).map(({ sk, n }) => `${sk?.S}=${n?.N}`);
    },
    transact: async (...sks: readonly string[]) =>
      client.send(new TransactWriteItemsCommand({ TransactItems: sks.map((sk) => ({ Update: addOne(sk) })) })),
  };
}

const always = (error: (call: TableCall) => Error): TableFaults => ({
  around: async (call) => {
    throw error(call);
  },
});

describe('reads (DynamoDB read consistency)', () => {
  test('an eventually consistent read answers the state before the writes of its lag; a strongly consistent one does not', async () => {
    const { clock, put, get, list, remove } = aTable({ lagMs: () => 500 });
    await put('a', 1);
    await put('b', 1);
    clock.nowMs += 501;
    await put('a', 2);
    await put('c', 2);
    await remove('b');
    expect([await get('a'), await get('a', false)]).toEqual([2, 1]);
    expect(await list(true)).toEqual(['a=2', 'c=2']);
    expect(await list(false)).toEqual(['a=1', 'b=1']);
    clock.nowMs += 500;
    expect(await list(false)).toEqual(['a=2', 'c=2']);
  });

  test('a batch of gets is eventually consistent unless it says otherwise', async () => {
    const { put, client } = aTable({ lagMs: () => 500 });
    await put('a', 1);
    const got = async (more: object) =>
      client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [key('a')], ...more } } }));
    expect((await got({})).Responses?.[TableName]).toEqual([]);
    expect((await got({ ConsistentRead: true })).Responses?.[TableName]).toHaveLength(1);
  });

  test('no lag is longer than the second that the documentation gives', async () => {
    const { get } = aTable({ lagMs: () => MAX_LAG_MS + 1 });
    await expect(get('a', false)).rejects.toThrow(RangeError);
  });
});

describe('throttling (Error handling with DynamoDB)', () => {
  test.each([
    ['on-demand', 'ThrottlingException', 'ThrottlingError'],
    ['provisioned', 'ProvisionedThroughputExceededException', 'ProvisionedThroughputExceeded'],
  ] as const)('with %s capacity a call gets %s, and a transaction the reason %s', async (mode, name, Code) => {
    const { put, get, list, transact } = aTable(always((call) => throttled(call, mode)));
    for (const call of [put('a', 1), get('a'), list(true)]) await expect(call).rejects.toMatchObject({ name });
    const refused = transact('a', 'b');
    await expect(refused).rejects.toBeInstanceOf(TransactionCanceledException);
    await expect(refused).rejects.toMatchObject({ CancellationReasons: [{ Code }, { Code: 'None' }] });
  });

  test('a throttled write has no effect, and calls succeed when the time is over', async () => {
    const { clock, table, put, get } = aTable({
      around: async (call, go) => {
        if (clock.now() < NOW_MS + 1_000) throw throttled(call);
        return go();
      },
    });
    await expect(put('a', 1)).rejects.toThrow();
    expect(table.items()).toEqual([]);
    clock.nowMs += 1_000;
    await put('a', 1);
    expect(await get('a')).toBe(1);
  });

  test('a batch answers what a throttled table left out (BatchWriteItem, BatchGetItem)', async () => {
    const { client, list } = aTable({ unprocessed: () => 1 });
    const requests = ['a', 'b'].map((sk) => ({ PutRequest: { Item: marshall({ pk: 'p', sk, n: 1 }) } }));
    const written = await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }));
    expect(written.UnprocessedItems).toEqual({ [TableName]: requests.slice(1) });
    expect(await list(true)).toEqual(['a=1']);
    const Keys = ['a', 'b'].map(key);
    const got = await client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } } }));
    expect(got.UnprocessedKeys).toEqual({ [TableName]: { Keys: Keys.slice(1) } });
    expect(got.Responses?.[TableName]).toHaveLength(1);
  });
});

test('a write that meets a transaction gets TransactionConflictException, a transaction is cancelled (Transaction conflict handling)', async () => {
  const { put, transact } = aTable(always(conflict));
  await expect(put('a', 1)).rejects.toMatchObject({ name: 'TransactionConflictException' });
  await expect(transact('a', 'b')).rejects.toMatchObject({
    CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
  });
});

test('a write whose answer is lost or an internal error has taken effect (Error handling with DynamoDB)', async () => {
  const { put, get } = aTable({
    around: async ({ operation, keys }, go) => {
      const answer = await go();
      if (operation === 'GetItem') return answer;
      throw keys.includes('p a') ? timedOut() : internalError();
    },
  });
  await expect(put('a', 1)).rejects.toMatchObject({ name: 'TimeoutError' });
  await expect(put('b', 2)).rejects.toMatchObject({ name: 'InternalServerError' });
  expect([await get('a'), await get('b')]).toEqual([1, 2]);
});

test('a repeated request takes effect twice, a repeated transaction once (TransactWriteItems, ClientRequestToken)', async () => {
  const { client, get, transact } = aTable({
    around: async (_, go) => {
      await go();
      return go();
    },
  });
  await client.send(new UpdateItemCommand(addOne('a')));
  expect(await get('a')).toBe(2);
  await transact('a', 'b');
  await transact('b');
  expect([await get('a'), await get('b')]).toEqual([3, 2]);
});

test('expired items are read until they are deleted, which may be days later (Time to Live)', async () => {
  const { clock, table, put, get } = aTable();
  await put('a', 1, { expiresAt: NOW_MS / 1_000 + 1 });
  await put('b', 1);
  clock.nowMs += 2_000;
  expect(await get('a')).toBe(1);
  table.deleteExpired();
  expect([await get('a'), await get('b')]).toEqual([Number.NaN, 1]);
});

test('the table is restored to an earlier state, any number of times', async () => {
  const { table, put, list, remove } = aTable();
  await put('a', 1);
  const earlier = table.snapshot();
  for (let round = 0; round < 2; round += 1) {
    await put('a', 2);
    await put('b', 2);
    await remove('a');
    table.restore(earlier);
    expect(await list(true)).toEqual(['a=1']);
  }
});

test('commands and parameters without support are an error of the test', async () => {
  const { client } = aTable();
  const Key = key('a');
  const get = client.send(new GetItemCommand({ TableName, Key, ReturnConsumedCapacity: 'TOTAL' }));
  await expect(get).rejects.toThrow('does not support the parameter ReturnConsumedCapacity of GetItem');
  await expect(client.send(new GetItemCommand({ TableName: 'other', Key }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

describe('what DynamoDB Local does in another way', () => {
  test('a page is cut before the filter, so it may be empty and have a next one (Query)', async () => {
    const { put, client } = aTable();
    const body = new Uint8Array(300 * 1024);
    for (const sk of ['a', 'b', 'c', 'd', 'e']) await put(sk, 1, { body });
    const page = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        FilterExpression: 'n > :one',
        ExpressionAttributeValues: marshall({ ':pk': 'p', ':one': 1 }),
      }),
    );
    expect(page).toMatchObject({ Items: [], Count: 0, ScannedCount: 4, LastEvaluatedKey: key('d') });
  });

  test('an update that the item does not allow cancels its transaction with ValidationError (TransactionCanceledException)', async () => {
    const { put, get, transact } = aTable();
    await put('a', 1);
    await put('b', 1, { n: 'text' });
    await expect(transact('a', 'b')).rejects.toMatchObject({
      CancellationReasons: [{ Code: 'None' }, { Code: 'ValidationError' }],
    });
    expect(await get('a')).toBe(1);
  });

  test('a transaction with two writes to an item is refused before its conditions (TransactWriteItems)', async () => {
    const { transact } = aTable();
    await expect(transact('a', 'a')).rejects.toMatchObject({ name: 'ValidationException' });
  });
});
