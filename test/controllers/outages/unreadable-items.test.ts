import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, parseTime } from '../../../lib/apis/formats/time.ts';
import { unreadableItems } from '../../../lib/operator/wiring/unreadable-items.ts';
import { DynamoDbCatalogueStore } from '../../../lib/providers/dynamodb/catalogue-store.ts';
import { DynamoDbLeases } from '../../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import type { SimulatedStores } from '../../../lib/simulator/deployment.ts';
import type { Timetable } from '../../../lib/simulator/timetable.ts';
import { type InProcessTable, inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';
import type { StoredItem } from '../../fakes/dynamodb/values.ts';
import { DELETED_MS, playRefused, USUAL_MS } from './refusal.ts';

/** The item that is put into the table shortly before the NodeClaims are deleted. */
type Edit = (items: readonly StoredItem[]) => StoredItem;

interface Reports {
  readonly texts: string[];
  table?: InProcessTable;
}

/** The stores of the functions over a table, with the report of the functions for items that they set aside. */
function edited(edit: Edit, reports: Reports): (clock: Timetable) => SimulatedStores {
  return (clock) => {
    const fromMs = clock.now() + DELETED_MS - 1_000;
    let isEdited = false;
    const table = inProcessTable({
      clock,
      faults: {
        around: async (_, go) => {
          if (!isEdited && clock.now() >= fromMs) {
            isEdited = true;
            await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: edit(table.items()) }));
          }
          return go();
        },
      },
    });
    reports.table = table;
    const error = (_: string, cause: unknown): void => void reports.texts.push(String(cause));
    const report = unreadableItems({ error }, clock);
    return {
      store: new DynamoDbNodeClaimStore({ ...table, clock, report }),
      leases: new DynamoDbLeases({ ...table, clock }),
      catalogue: new DynamoDbCatalogueStore({ ...table, region: 'us-east-1' }),
    };
  };
}

function itemOf(items: readonly StoredItem[], prefix: string): StoredItem {
  const found = items.find(({ sk }) => sk?.S?.startsWith(prefix) === true);
  if (found === undefined) throw new Error(`the table has no item ${prefix}`);
  return found;
}

test('a claim that cannot be read: the others are drained, and it is reported twice in 70 minutes', async () => {
  const reports: Reports = { texts: [] };
  let name: string | undefined;
  const edit = (items: readonly StoredItem[]): StoredItem => {
    const item = itemOf(items, 'claim#');
    name = item['sk']?.S?.slice('claim#'.length);
    return { ...item, payload: { S: 'edited' } };
  };
  const stores = edited(edit, reports);
  const played = await playRefused({ while: 'drain' }, { stores, durationMs: 70 * MINUTE_MS });
  for (const { nodeClaim, endedMs } of played.instances) {
    if (nodeClaim === name) expect(endedMs, 'the instance of an unknown claim').toBeUndefined();
    else expect(endedMs).toBeLessThan(DELETED_MS + USUAL_MS);
  }
  expect(played.podsRunning).toBe(4);
  expect(played.podsPending).toEqual([]);
  expect([...new Set(reports.texts)]).toEqual([expect.stringMatching(`claim#${name} .*restore it`)]);
  expect(reports.texts).toHaveLength(2);
  expect(played.events.map(({ text }) => text)).toEqual([expect.stringContaining('RecordUnreadable')]);
  expect(played.failures).toEqual([]);
});

test('an open decision that cannot be read: nothing waits for it, and it is reported twice and then removed', async () => {
  const reports: Reports = { texts: [] };
  const stores = edited((items) => {
    const { pk = { S: '' } } = itemOf(items, 'claim#');
    return { pk, sk: { S: 'open#lost' }, decidedAtMs: { N: String(parseTime('2026-01-01T00:02:00Z')) } };
  }, reports);
  const played = await playRefused({ while: 'drain' }, { stores, durationMs: 70 * MINUTE_MS });
  for (const { endedMs } of played.instances) expect(endedMs).toBeLessThan(DELETED_MS + USUAL_MS);
  expect(played.podsRunning).toBe(4);
  expect(played.failures).toEqual([]);
  expect([...new Set(reports.texts)]).toEqual([expect.stringMatching(/open#lost .*its decision does not exist/)]);
  expect(reports.texts.length).toBeLessThanOrEqual(2);
  const left = (reports.table?.items() ?? []).filter(({ sk }) => sk?.S === 'open#lost');
  expect(left, `removed after ${HOUR_MS / MINUTE_MS} minutes`).toEqual([]);
});
