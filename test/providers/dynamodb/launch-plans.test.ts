import { expect, test } from 'vitest';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import type { UnreadableError } from '../../../lib/ports/errors.ts';
import { packRecord } from '../../../lib/providers/dynamodb/body.ts';
import { claimItemKey } from '../../../lib/providers/dynamodb/keys.ts';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { Table } from '../../../lib/providers/dynamodb/table.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aLaunchOfTwoTypes, aRecord, launchedAs } from '../../contract/records.ts';
import { type InProcessTable, inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';

function aTable() {
  return inProcessTable({ clock: { now: () => NOW_MS } });
}

const OPTIONS: NodeClaimRecord['options'] = Array.from({ length: 300 }, (_, index) => ({
  instanceType: `m${index % 60}.large`,
  zone: `us-east-1${'abcde'[index % 5]}`,
  capacityType: 'spot',
  priceUsdPerHour: index * 0.001_237,
}));
const NAMES = ['general-a', 'general-b', 'general-c'];

function planned(name: string): NodeClaimRecord {
  // Each with its own copy, as decisions have them.
  return aRecord({ name, options: structuredClone(OPTIONS) });
}

function requested(name: string): NodeClaimRecord {
  const request = aLaunchOfTwoTypes({ nodeClaim: 'group/x', members: NAMES });
  return { ...planned(name), launch: { kind: 'requested', attempt: 1, request, atMs: NOW_MS } };
}

function keysOf(table: InProcessTable, prefix: string): readonly string[] {
  return table.items().flatMap(({ sk }) => (sk?.S?.startsWith(prefix) === true ? [sk.S] : []));
}

function payloadBytes(table: InProcessTable, name: string): number {
  return table.item(claimItemKey('demo', name))?.['payload']?.B?.byteLength ?? Number.NaN;
}

test('claims with equal options share one item of them, and their own items are small', async () => {
  const table = aTable();
  const store = new DynamoDbNodeClaimStore(table);
  for (const name of NAMES) await store.createNodeClaim(planned(name));
  expect(keysOf(table, 'plan#')).toHaveLength(1);
  for (const name of NAMES) expect(payloadBytes(table, name)).toBeLessThan(900);
  expect(await new DynamoDbNodeClaimStore(table).listNodeClaims('demo')).toEqual(NAMES.map(planned));
});

test('the options of claims that are read are one object', async () => {
  const table = aTable();
  for (const name of NAMES) await new DynamoDbNodeClaimStore(table).createNodeClaim(planned(name));
  const records = await new DynamoDbNodeClaimStore(table).listNodeClaims('demo');
  expect(new Set(records.map(({ options }) => options)).size).toBe(1);
});

test('the request of a group is one item, which other processes read', async () => {
  const table = aTable();
  const store = new DynamoDbNodeClaimStore(table);
  for (const name of NAMES) await store.createNodeClaim(planned(name));
  await store.updateNodeClaims(NAMES.map(requested));
  expect(keysOf(table, 'plan#')).toHaveLength(2);
  const other = await new DynamoDbNodeClaimStore(table).listNodeClaims('demo');
  expect(other).toEqual(NAMES.map((name) => ({ ...requested(name), version: 2 })));
});

test('a launched claim refers to none', async () => {
  const table = aTable();
  const store = new DynamoDbNodeClaimStore(table);
  await store.createNodeClaim(planned('general-a'));
  await store.updateNodeClaim(launchedAs(planned('general-a'), 'i-1'));
  expect(await new DynamoDbNodeClaimStore(table).readNodeClaim('demo', 'general-a')).toMatchObject({
    launch: { kind: 'launched' },
    options: [],
  });
});

test('a claim whose options are gone has none, and one whose request is gone cannot be read', async () => {
  const table = aTable();
  const store = new DynamoDbNodeClaimStore(table);
  await store.createNodeClaim(planned('general-a'));
  await store.createNodeClaim(planned('general-b'));
  await store.updateNodeClaims([requested('general-b')]);
  const raw = new Table(table);
  for (const sk of keysOf(table, 'plan#')) await raw.write({ kind: 'delete', key: { pk: 'cluster#demo', sk } });
  const reported: UnreadableError[] = [];
  const other = new DynamoDbNodeClaimStore({ ...table, report: (error) => reported.push(error) });
  const { records, unreadable } = await other.readNodeClaims('demo');
  expect(records).toEqual([{ ...planned('general-a'), options: [] }]);
  expect(unreadable.map(({ name }) => name)).toEqual(['general-b']);
  expect(reported.map(({ message }) => message)).toEqual([expect.stringContaining('has no request in the table')]);
});

test('a claim that an earlier version stored as a whole is read', async () => {
  const table = aTable();
  const record = requested('general-a');
  const item = { ...claimItemKey('demo', 'general-a'), claimVersion: 1, payload: packRecord(record, 'a claim') };
  await new Table(table).write({ kind: 'put', item });
  expect(await new DynamoDbNodeClaimStore(table).readNodeClaim('demo', 'general-a')).toEqual(record);
});
