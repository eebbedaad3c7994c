import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DynamoDBClient,
  PutItemCommand,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { DynamoDbCallBudget } from '../../../lib/providers/dynamodb/call-budget.ts';
import { NOW_MS } from '../../builders/times.ts';
import { callBudgetContract } from '../../contract/call-budget.ts';

const client = new DynamoDBClient({ region: 'us-east-1', maxAttempts: 1 });
const dynamo = mockClient(client);
const items = new Map<string, Record<string, AttributeValue>>();

/** PutItem with the conditions that a budget makes; no other call is answered. */
function writable(): void {
  dynamo.on(PutItemCommand).callsFake((input: PutItemCommandInput) => {
    const { Item = {}, ConditionExpression = '', ExpressionAttributeValues: values } = input;
    const key = Item['sk']?.S ?? '';
    const found = items.get(key);
    const [unchanged, full] = ConditionExpression.split(' OR ');
    const isFull =
      found?.['throttledAtMs'] === undefined &&
      Number(found?.['filledAtMs']?.N) <= Number(values?.[':fullSince']?.N ?? Number.NaN);
    const holds =
      (full !== undefined && isFull) ||
      (unchanged === 'attribute_not_exists(pk)'
        ? found === undefined
        : unchanged === 'attribute_exists(pk)'
          ? found !== undefined
          : found?.['bucketVersion']?.N === values?.[':seen']?.N);
    if (!holds) {
      throw new ConditionalCheckFailedException({ message: 'no', $metadata: {}, ...(found && { Item: found }) });
    }
    items.set(key, Item);
    return {};
  });
}

let nowMs = NOW_MS;
const LIMITS = { capacity: 100, perSecond: 20 };
const options = { client, tableName: 'kerf', region: 'us-east-1', clock: { now: () => nowMs }, limitsOf: () => LIMITS };
const writes = () => dynamo.commandCalls(PutItemCommand).length;

beforeEach(() => {
  nowMs = NOW_MS;
  items.clear();
  dynamo.reset();
  writable();
});

callBudgetContract('DynamoDB, its conditional writes played', async (world) => ({
  budgets: [new DynamoDbCallBudget({ ...options, ...world }), new DynamoDbCallBudget({ ...options, ...world })],
}));

describe('what it costs', () => {
  test('a single call is one write and no read', async () => {
    await new DynamoDbCallBudget(options).take('CreateFleet');
    expect(writes()).toBe(1);
    expect(dynamo.calls()).toHaveLength(1);
    expect([...items.values()].map((item) => unmarshall(item))).toMatchObject([
      { pk: 'budget#us-east-1', sk: 'api#CreateFleet', bucketTokens: 99, tokensPerSecond: 20, filledAtMs: NOW_MS },
    ]);
  });

  test('functions that call in turn write once for each call, because a full bucket may have been written by any of them', async () => {
    const budgets = [new DynamoDbCallBudget(options), new DynamoDbCallBudget(options)];
    for (let call = 0; call < 10; call += 1) {
      await budgets[call % 2]?.take('DescribeInstances');
      nowMs += 30 * SECOND_MS;
    }
    expect(writes()).toBe(10);
  });

  test.each<[string, (other: DynamoDbCallBudget) => Promise<unknown>]>([
    ['that is not full', async (other) => Promise.all(Array.from({ length: 90 }, async () => other.take('A')))],
    ['that EC2 has throttled', async (other) => other.throttled('A')],
  ])('a bucket of another function %s is not replaced', async (_, change) => {
    const [one, other] = [new DynamoDbCallBudget(options), new DynamoDbCallBudget(options)];
    await one.take('A');
    nowMs += 30 * SECOND_MS;
    await change(other);
    nowMs += SECOND_MS;
    await one.take('A');
    const item = unmarshall(items.get('api#A') ?? {});
    expect(item['bucketTokens']).toBeLessThan(50);
  });

  test('a function that calls each minute keeps some calls, if the limits allow it', async () => {
    const kept = new DynamoDbCallBudget({ ...options, limitsOf: () => ({ ...LIMITS, kept: 4 }) });
    for (let call = 0; call < 60; call += 1) {
      await kept.take('DescribeInstances');
      nowMs += 60 * SECOND_MS;
    }
    expect(writes()).toBeLessThanOrEqual(60 / 4 + 2);
  });

  test('kept calls lapse after ten minutes, and no more than the limits say are kept for longer than ten seconds', async () => {
    const kept = new DynamoDbCallBudget({ ...options, limitsOf: () => ({ ...LIMITS, kept: 2 }) });
    await Promise.all(Array.from({ length: 5 }, async () => kept.take('A')));
    await kept.take('A');
    nowMs += 20 * SECOND_MS;
    const before = writes();
    for (let call = 0; call < 2; call += 1) await kept.take('A');
    expect(writes()).toBe(before);
    await kept.take('A');
    expect(writes()).toBe(before + 1);
    nowMs += 600 * SECOND_MS;
    await kept.take('A');
    expect(writes()).toBe(before + 2);
  });

  test('a busy function writes once for ten calls', async () => {
    const budget = new DynamoDbCallBudget(options);
    for (let call = 0; call < 500; call += 1) {
      await budget.take('DescribeInstances');
      nowMs += 50;
    }
    expect(writes()).toBeLessThanOrEqual(500 / 10 + 4);
  });

  test('callers at one moment share a write', async () => {
    const budget = new DynamoDbCallBudget(options);
    await Promise.all(Array.from({ length: 10 }, async () => budget.take('CreateFleet')));
    expect(writes()).toBe(1);
  });

  test('who waits for a call writes nothing meanwhile', async () => {
    const budget = new DynamoDbCallBudget({ ...options, limitsOf: () => ({ capacity: 1, perSecond: 0.1 }) });
    await budget.take('CreateFleet');
    const before = writes();
    for (let call = 0; call < 20; call += 1) expect((await budget.take('CreateFleet')).kind).toBe('wait');
    expect(writes()).toBe(before);
  });

  test('calls that are throttled together are reported once', async () => {
    const budget = new DynamoDbCallBudget(options);
    await budget.take('CreateFleet');
    const before = writes();
    for (let call = 0; call < 10; call += 1) await budget.throttled('CreateFleet');
    expect(writes()).toBe(before + 1);
  });
});

test('calls that were leased a while ago are not made up for', async () => {
  const budget = new DynamoDbCallBudget(options);
  await Promise.all(Array.from({ length: 3 }, async () => budget.take('CreateFleet')));
  await budget.take('CreateFleet');
  const before = writes();
  await budget.take('CreateFleet');
  expect(writes()).toBe(before);
  nowMs += 10 * SECOND_MS;
  await budget.take('CreateFleet');
  expect(writes()).toBe(before + 1);
});

test.each(['TimeoutError', 'AccessDeniedException'])(
  'while DynamoDB says %s, calls go ahead without it',
  async (name) => {
    dynamo
      .on(PutItemCommand)
      .rejects(Object.assign(new Error('scripted'), { name, $metadata: { httpStatusCode: 400 } }));
    const budget = new DynamoDbCallBudget(options);
    for (let call = 0; call < 20; call += 1) {
      expect(await budget.take('CreateFleet')).toEqual({ kind: 'granted', atMs: NOW_MS });
    }
    expect(writes()).toBe(1);
    nowMs += 5 * SECOND_MS;
    await budget.take('CreateFleet');
    expect(writes()).toBe(2);
  },
);

test.each<[string, Record<string, unknown>]>([
  ['nothing', {}],
  ['words', { bucketVersion: 'first', bucketTokens: 'many', tokensPerSecond: 'some', filledAtMs: 'now' }],
  ['no version', { bucketTokens: 3, tokensPerSecond: 20, filledAtMs: NOW_MS }],
  ['nothing but a version', { bucketVersion: 3 }],
  ['a time minutes ahead', { bucketVersion: 3, bucketTokens: 0, tokensPerSecond: 1, filledAtMs: NOW_MS + 300_000 }],
])('an item with %s in it is written anew, and calls go on', async (_, item) => {
  items.set('api#CreateFleet', marshall({ pk: 'budget#us-east-1', sk: 'api#CreateFleet', ...item }));
  const budget = new DynamoDbCallBudget(options);
  let granted = 0;
  for (let second = 0; second < 20; second += 1) {
    const grant = await budget.take('CreateFleet');
    if (grant.kind === 'granted') granted += 1;
    expect(grant.kind === 'granted' ? grant.atMs : grant.untilMs).toBeLessThanOrEqual(nowMs + 5 * SECOND_MS);
    nowMs += SECOND_MS;
  }
  expect(granted).toBeGreaterThan(10);
  expect(unmarshall(items.get('api#CreateFleet') ?? {})).toMatchObject({
    bucketVersion: expect.any(Number),
    bucketTokens: expect.any(Number),
  });
});

test('thousands of callers at one moment are answered with few writes, none of them left behind', async () => {
  const budget = new DynamoDbCallBudget(options);
  const grants = await Promise.all(Array.from({ length: 5_000 }, async () => budget.take('CreateFleet')));
  const granted = grants.filter(({ kind }) => kind === 'granted').length;
  expect(granted).toBe(LIMITS.capacity + 2 * LIMITS.perSecond);
  expect(writes()).toBeLessThanOrEqual(granted / 10 + 1);
});

test('a bug stays a bug', async () => {
  dynamo.on(PutItemCommand).rejects(new TypeError('undefined is not a function'));
  await expect(new DynamoDbCallBudget(options).take('CreateFleet')).rejects.toBeInstanceOf(TypeError);
});
