import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
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

test('a process that serves two clusters writes equal options for each of them', async () => {
  const table = aTable();
  const store = new DynamoDbNodeClaimStore(table);
  const claims = ['demo', 'other'].map((cluster) => ({ ...planned('general-a'), cluster }));
  for (const claim of claims) await store.createNodeClaim(claim);
  // Decisions of both clusters may have one object.
  await store.createNodeClaim({ ...planned('general-b'), cluster: 'third', options: claims[0]?.options ?? [] });
  for (const cluster of ['demo', 'other', 'third']) {
    const records = await new DynamoDbNodeClaimStore(table).listNodeClaims(cluster);
    expect(records.map(({ options }) => options)).toEqual([OPTIONS]);
  }
});

test('a process keeps 500 plans for all of its clusters together, and forgets the oldest of them', async () => {
  const reads: string[] = [];
  const table = watched(aTable(), (name, text) => {
    if (name === 'QueryCommand' && text.includes('plan#')) reads.push(text);
  });
  const store = new DynamoDbNodeClaimStore(table);
  const claims = ['a', 'b', 'c', 'd'].flatMap((cluster) =>
    Array.from({ length: 150 }, (_, price): NodeClaimRecord => {
      const options = [
        { instanceType: 'm7g.large', zone: 'us-east-1a', capacityType: 'spot', priceUsdPerHour: price },
      ] as const;
      return { ...planned(`general-${price}`), cluster, options };
    }),
  );
  for (const claim of claims) await store.createNodeClaim(claim);
  await store.listNodeClaims('d');
  expect(reads, 'the newest').toHaveLength(0);
  await store.listNodeClaims('a');
  expect(reads.length, 'the oldest').toBeGreaterThanOrEqual(100);
});

/** The table, which shows each call to `see` before it answers. */
function watched(table: InProcessTable, see: (name: string, text: string) => void): InProcessTable {
  const send: typeof table.client.send = async (command: object, ...rest: readonly unknown[]) => {
    await Promise.resolve();
    see(command.constructor.name, JSON.stringify(command));
    return await Reflect.apply(table.client.send, table.client, [command, ...rest]);
  };
  return { ...table, client: { send } };
}

test('claims that are created at the same time share one write of their options', async () => {
  const writes: string[] = [];
  const table = watched(aTable(), (name, text) => {
    if (text.includes('plan#')) writes.push(name);
  });
  const store = new DynamoDbNodeClaimStore(table);
  await Promise.all(NAMES.map(async (name) => store.createNodeClaim(planned(name))));
  expect(writes).toEqual(['PutItemCommand']);
});

test('options whose write failed are written with the next claim', async () => {
  const table = aTable();
  let isDown = true;
  const store = new DynamoDbNodeClaimStore(
    watched(table, (_name, text) => {
      if (isDown && text.includes('plan#')) throw new TypeError('no connection');
    }),
  );
  const created = await Promise.allSettled(NAMES.map(async (name) => store.createNodeClaim(planned(name))));
  expect(created.map(({ status }) => status)).toEqual(NAMES.map(() => 'rejected'));
  expect(keysOf(table, 'claim#')).toEqual([]);
  isDown = false;
  await store.createNodeClaim(planned('general-a'));
  expect(await new DynamoDbNodeClaimStore(table).listNodeClaims('demo')).toEqual([planned('general-a')]);
});

test('a list makes only queries, because the functions that only list claims may not make other calls', async () => {
  const table = aTable();
  const store = new DynamoDbNodeClaimStore(table);
  for (const name of NAMES) await store.createNodeClaim(planned(name));
  await store.updateNodeClaims(NAMES.map(requested));
  const calls: string[] = [];
  await new DynamoDbNodeClaimStore(watched(table, (name) => calls.push(name))).listNodeClaims('demo');
  expect(calls).toEqual(['QueryCommand', 'QueryCommand', 'QueryCommand']);
});

test('a list of many claims with options of their own reads a few of these at a time, so that no read waits for a connection', async () => {
  const table = aTable();
  const store = new DynamoDbNodeClaimStore(table);
  const names = Array.from({ length: 120 }, (_, index) => `general-${1_000 + index}`);
  const own = (name: string, index: number) => aRecord({ name, options: OPTIONS.slice(index, index + 3) });
  for (const [index, name] of names.entries()) await store.createNodeClaim(own(name, index));
  const { client } = table;
  let [now, most] = [0, 0];
  const send: typeof client.send = async (command: object, ...rest: readonly unknown[]) => {
    now += 1;
    most = Math.max(most, now);
    await new Promise(setImmediate);
    const answer: unknown = await Reflect.apply(client.send, client, [command, ...rest]);
    now -= 1;
    return answer;
  };
  expect(await new DynamoDbNodeClaimStore({ ...table, client: { send } }).listNodeClaims('demo')).toEqual(
    names.map(own),
  );
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(25);
});

test('options that are gone are written again, also while they are read', async () => {
  const table = aTable();
  await new DynamoDbNodeClaimStore(table).createNodeClaim(planned('general-a'));
  const raw = new Table(table);
  for (const sk of keysOf(table, 'plan#')) await raw.write({ kind: 'delete', key: { pk: 'cluster#demo', sk } });
  const created: Promise<void>[] = [];
  const store: DynamoDbNodeClaimStore = new DynamoDbNodeClaimStore(
    watched(table, (_name, text) => {
      if (text.includes('plan#') && created.length === 0) created.push(store.createNodeClaim(planned('general-b')));
    }),
  );
  await store.listNodeClaims('demo');
  await Promise.all(created);
  const read = await new DynamoDbNodeClaimStore(table).readNodeClaim('demo', 'general-b');
  expect(read?.options).toEqual(OPTIONS);
});

test('after a restore of the table, a process that runs on writes the options again for claims that are created ten minutes later', async () => {
  const table = aTable();
  const restored = table.snapshot();
  const store = new DynamoDbNodeClaimStore(table);
  await store.createNodeClaim(planned('general-a'));
  table.restore(restored);
  const later = aRecord({ name: 'general-b', options: OPTIONS, createdAtMs: NOW_MS + 10 * MINUTE_MS + 1 });
  await store.createNodeClaim(later);
  expect(await new DynamoDbNodeClaimStore(table).listNodeClaims('demo')).toEqual([later]);
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
