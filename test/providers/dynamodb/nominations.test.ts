import { beforeEach, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { ownField } from '../../../lib/apis/record.ts';
import { clusterPartition } from '../../../lib/providers/dynamodb/keys.ts';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { Table } from '../../../lib/providers/dynamodb/table.ts';
import { NOW_MS } from '../../builders/times.ts';
import type { TableCall } from '../../fakes/dynamodb/errors.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';

let nowMs: number;
/** The number of items that the last query has read. */
let itemsRead: unknown;
let table: Table;
let store: DynamoDbNodeClaimStore;

beforeEach(() => {
  nowMs = NOW_MS;
  const around = async ({ operation }: TableCall, go: () => Promise<unknown>): Promise<unknown> => {
    const answer = await go();
    if (operation === 'Query') itemsRead = ownField(answer, 'ScannedCount');
    return answer;
  };
  const options = inProcessTable({ clock: { now: () => nowMs }, faults: { around } });
  table = new Table(options);
  store = new DynamoDbNodeClaimStore(options);
});

test('a list does not read nominations that have ended, which DynamoDB deletes up to days later', async () => {
  for (let minute = 0; minute < 60; minute += 1) {
    nowMs += MINUTE_MS;
    await store.nominate('demo', { node: `node-${minute}`, untilMs: nowMs + 2 * MINUTE_MS });
  }
  const listed = await store.listNominations('demo', nowMs);
  expect(listed.map(({ node }) => node)).toEqual(['node-58', 'node-59']);
  expect(Number(itemsRead)).toBeLessThanOrEqual(3);
});

test('a nomination of an earlier version, whose key has no end, counts until it ends', async () => {
  const key = { pk: clusterPartition('demo'), sk: 'nomination#ip-10-0-0-1.ec2.internal' };
  await table.write({ kind: 'put', item: { ...key, untilMs: NOW_MS + MINUTE_MS } });
  expect(await store.listNominations('demo', NOW_MS)).toEqual([
    { node: 'ip-10-0-0-1.ec2.internal', untilMs: NOW_MS + MINUTE_MS },
  ]);
  expect(await store.listNominations('demo', NOW_MS + MINUTE_MS)).toEqual([]);
});
