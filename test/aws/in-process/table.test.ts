import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRecord } from '../../../lib/apis/record.ts';
import { compareText } from '../../../lib/core/compare-text.ts';
import { randomFrom } from '../../../lib/simulator/random.ts';
import { NOW_MS } from '../../builders/times.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';
import { canonicalNumber } from '../../fakes/dynamodb/numbers.ts';
import { samples } from '../../samples.ts';
import { DYNAMODB, type TestTable, testTable } from '../table.ts';
import { CASES } from './cases.ts';
import { type Command, randomCommands, type Target } from './commands.ts';

/**
 * The in-process table answers what DynamoDB Local answers: the same items, and errors of the same names with the same
 * cancellation reasons. Messages may differ.
 */

let local: TestTable;
beforeAll(async () => {
  local = await testTable(DYNAMODB['DynamoDB Local'] ?? {});
});
afterAll(() => local.close());

/** Sends the commands to both tables. */
async function compare(commandsFor: (target: Target) => readonly Command[]): Promise<void> {
  const { TableName, partitions } = { TableName: local.tableName, partitions: [randomUUID(), randomUUID()] };
  const { client } = inProcessTable({ clock: { now: () => NOW_MS }, tableName: TableName });
  for (const [at, command] of commandsFor({ TableName, partitions }).entries()) {
    const [expected, answer] = await Promise.all([answerOf(local.client, command), answerOf(client, command)]);
    expect(answer, `${at}: ${inspect(command.input, { depth: 9 })}\nLocal: ${inspect(expected, { depth: 9 })}`).toEqual(
      expected,
    );
  }
}

async function answerOf(client: Pick<DynamoDBClient, 'send'>, command: Command): Promise<unknown> {
  try {
    const answer: unknown = await Reflect.apply(client.send, client, [command]);
    return normalized(answer);
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    const item = thrown instanceof ConditionalCheckFailedException ? thrown.Item : undefined;
    const reasons = thrown instanceof TransactionCanceledException ? (thrown.CancellationReasons ?? []) : [];
    return {
      error: thrown.name,
      item: normalized(item),
      reasons: reasons.map(({ Code, Item }) => ({ Code, item: normalized(Item) })),
    };
  }
}

const SETS = new Set(['SS', 'NS', 'BS']);

/**
 * Without what DynamoDB does not promise: the order of sets and of the items of a batch. Local keeps the text of numbers, and
 * adds the capacity without a request for it.
 */
function normalized(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(normalized);
  if (!isRecord(value)) return value;
  const { $metadata: _metadata, ConsumedCapacity: _capacity, ...rest } = value;
  const entries = Object.entries(rest).map(([name, one]): [string, unknown] => {
    if (name === 'N') return [name, canonicalNumber(String(one))];
    if (name === 'NS' && Array.isArray(one)) return [name, sorted(one.map(String).map(canonicalNumber))];
    if (name === 'Responses' && isRecord(one)) return [name, Object.values(one).map(sorted)];
    return [name, SETS.has(name) ? sorted(one) : normalized(one)];
  });
  return Object.fromEntries(entries.toSorted(([a], [b]) => compareText(a, b)));
}

function sorted(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  return list.map(normalized).toSorted((a, b) => compareText(JSON.stringify(a), JSON.stringify(b)));
}

describe('the in-process table answers as DynamoDB Local', () => {
  test.each(CASES)('$name', async ({ commands }) => compare(commands));

  test.each(Array.from({ length: samples(200, 40) }, (_, seed) => seed))('random commands, seed %i', async (seed) =>
    compare((target) => randomCommands(randomFrom(seed), target, 100)),
  );
});
