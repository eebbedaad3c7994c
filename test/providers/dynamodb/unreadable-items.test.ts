import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { NO_MEMORY } from '../../../lib/core/model/disruption/pass-memory.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { UnreadableError } from '../../../lib/ports/errors.ts';
import { packBody } from '../../../lib/providers/dynamodb/body.ts';
import { DynamoDbCallBudget } from '../../../lib/providers/dynamodb/call-budget.ts';
import { DynamoDbCatalogueStore } from '../../../lib/providers/dynamodb/catalogue-store.ts';
import { DynamoDbLeases } from '../../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { aCommand, aReplacingCommand } from '../../builders/decisions.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aLaunchDecision, aRecord } from '../../contract/records.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';
import { memoryBodies } from '../../fakes/memory-bodies.ts';

/** Every list leaves out one bad item and reports it by name (promise 7). */

const PARTITION = 'cluster#demo';
const MARK = {
  instanceType: 'm5.large',
  zone: 'us-east-1a',
  capacityType: 'spot',
  atMs: NOW_MS,
  reason: 'x',
} as const;

function someStores() {
  const clock = { nowMs: NOW_MS, now: () => clock.nowMs };
  const table = inProcessTable({ clock });
  const reported: string[] = [];
  const report = ({ message }: Error): void => void reported.push(message);
  return {
    clock,
    table,
    reported,
    store: new DynamoDbNodeClaimStore({ ...table, bodies: memoryBodies(), clock, report }),
    catalogue: new DynamoDbCatalogueStore({ ...table, region: 'us-east-1', report }),
    leases: new DynamoDbLeases({ ...table, clock }),
    budget: new DynamoDbCallBudget({
      ...table,
      clock,
      region: 'us-east-1',
      limitsOf: () => ({ capacity: 20, perSecond: 5 }),
    }),
    put: async (pk: string, sk: string, more: object) =>
      table.client.send(new PutItemCommand({ TableName: 'kerf', Item: marshall({ pk, sk, ...more }) })),
  };
}

/** The item of a record with other values: nothing but its body is broken. */
function spoiled(record: NodeClaimRecord, by: object): object {
  return { claimVersion: record.version, payload: packBody({ ...record, ...by }, 'x') };
}

const BROKEN: readonly (readonly [string, object])[] = [
  ['without a body', {}],
  ['with a body of another shape', { payload: packBody({ cluster: 'demo' }, 'x') }],
  ['with a truncated body', { payload: packBody(aRecord(), 'x').subarray(0, 20) }],
  ['with a body that is a text', { payload: 'edited' }],
  ['with a launch of an unknown kind', spoiled(aRecord(), { launch: { kind: 'hibernated' } })],
  ['without the instance of a launch', spoiled(aRecord(), { launch: { kind: 'launched' } })],
  ['with a deletion that is null', spoiled(aRecord(), { deletion: null })],
  ...['options', 'types', 'pods', 'holds', 'allocatable', 'annotations', 'spec', 'createdAtMs'].map(
    (field) => [`without ${field}`, spoiled(launchedClaim(), { [field]: undefined })] as const,
  ),
];

describe.each(BROKEN)('an item %s', (_, broken) => {
  test('of a released claim, which no list contains, is reported when it is read', async () => {
    const { store, put, reported } = someStores();
    await put(PARTITION, 'released#gone', broken);
    await expect(store.readNodeClaim('demo', 'gone')).rejects.toBeInstanceOf(UnreadableError);
    expect(reported).toEqual([expect.stringContaining('released#gone')]);
  });

  test('does not end the list of claims; it is neither created again nor read as absent', async () => {
    const { store, put, reported } = someStores();
    await store.createNodeClaim(aRecord({ name: 'general-a' }));
    await put(PARTITION, 'claim#general-b', broken);
    await store.createNodeClaim(aRecord({ name: 'general-c' }));
    const { records, unreadable } = await store.readNodeClaims('demo');
    expect(records.map(({ name }) => name)).toEqual(['general-a', 'general-c']);
    expect(unreadable).toEqual([{ name: 'general-b', message: expect.stringContaining('claim#general-b') }]);
    expect(reported).toEqual([expect.stringContaining('claim#general-b')]);
    await store.createNodeClaim(aRecord({ name: 'general-b' }));
    await expect(store.readNodeClaim('demo', 'general-b')).rejects.toBeInstanceOf(UnreadableError);
  });

  test('does not end the list of commands', async () => {
    const { store, put, reported } = someStores();
    await store.startCommand('demo', aCommand());
    await put(PARTITION, 'command#broken', broken);
    expect(await store.listCommands('demo')).toEqual([aCommand()]);
    expect(reported).toEqual([expect.stringContaining('command#broken')]);
  });

  test('does not block open decisions, and is closed an hour after it was recorded', async () => {
    const { store, put, reported, table, clock } = someStores();
    const readable = aLaunchDecision({ id: 'readable' });
    await store.recordDecision(aLaunchDecision({ id: 'broken' }), 0);
    await store.recordDecision(readable, 1);
    await put(PARTITION, 'decision#broken', broken);
    expect(await store.openDecisions('demo')).toEqual([readable]);
    expect(reported).toEqual([expect.stringContaining('decision#broken')]);
    const openItems = () => table.items().flatMap(({ sk }) => (sk?.S?.startsWith('open#') === true ? [sk.S] : []));
    clock.nowMs += 60 * MINUTE_MS - 1;
    await store.openDecisions('demo');
    expect(openItems()).toEqual(['open#broken', 'open#readable']);
    clock.nowMs += 1;
    expect(await store.openDecisions('demo')).toEqual([readable]);
    expect(openItems()).toEqual(['open#readable']);
  });
});

/** Bodies of the right kind of which one part is not as each version writes it. */
const PARTLY_BROKEN: readonly (readonly [string, 'command' | 'decision', object])[] = [
  ['a command of an unknown state', 'command', { ...aReplacingCommand(), state: 'paused' }],
  [
    'a command without the claims that it replaces nodes with',
    'command',
    { ...aReplacingCommand(), replacementClaims: null },
  ],
  ['a command without replacements', 'command', { ...aReplacingCommand(), replacements: undefined }],
  ['a command with a candidate that is null', 'command', aCommandWith([null])],
  ['a command with a candidate without its node', 'command', aCommandWith([{ nodeClaim: 'a', nodePool: 'b' }])],
  ['a decision without its time', 'decision', { ...aLaunchDecision(), atMs: undefined }],
  ['a decision with an action that is null', 'decision', { ...aLaunchDecision(), actions: [null] }],
  ['a decision without a list of actions', 'decision', { ...aLaunchDecision(), actions: {} }],
  [
    'a decision of a claim without its record',
    'decision',
    { ...aLaunchDecision(), actions: [{ kind: 'create-node-claim' }] },
  ],
  ['a decision with a refusal that is null', 'decision', { ...aLaunchDecision(), blocked: [null] }],
];

function aCommandWith(candidates: readonly unknown[]): object {
  return { ...aCommand(), candidates };
}

test.each(PARTLY_BROKEN)('%s does not end its list', async (_, kind, body) => {
  const { store, put, reported } = someStores();
  await store.startCommand('demo', aCommand());
  await store.recordDecision(aLaunchDecision({ id: 'broken' }), 0);
  await store.recordDecision(aLaunchDecision({ id: 'readable' }), 1);
  await put(PARTITION, `${kind}#broken`, { payload: packBody(body, 'x') });
  const open = kind === 'decision' ? ['readable'] : ['broken', 'readable'];
  expect((await store.openDecisions('demo')).map(({ id }) => id)).toEqual(open);
  expect(await store.listCommands('demo')).toEqual([aCommand()]);
  expect(reported).toEqual([expect.stringContaining(`${kind}#broken`)]);
});

test('an open decision whose item or body in the bucket is gone is left out and reported', async () => {
  const { store, put, reported, table } = someStores();
  for (const [epoch, id] of ['gone', 'lapsed', 'readable'].entries()) {
    await store.recordDecision(aLaunchDecision({ id }), epoch);
  }
  await put(PARTITION, 'decision#lapsed', { payloadKey: 'bodies/deleted' });
  const Key = marshall({ pk: PARTITION, sk: 'decision#gone' });
  await table.client.send(new DeleteItemCommand({ TableName: 'kerf', Key }));
  expect((await store.openDecisions('demo')).map(({ id }) => id)).toEqual(['readable']);
  expect(reported).toEqual([expect.stringContaining('open#gone'), expect.stringContaining('decision#lapsed')]);
});

test('a nomination, a past move, a mark or a lesson that cannot be read is left out and reported', async () => {
  const { store, catalogue, put, reported } = someStores();
  const lesson = { instanceType: 'm5.large', imageId: 'ami-1', memoryBytes: 1, untilMs: NOW_MS + 1 };
  await store.nominate('demo', { node: 'a', untilMs: NOW_MS + 1 });
  await catalogue.markUnavailable([MARK]);
  await catalogue.learnMemory(lesson, NOW_MS);
  await put(PARTITION, 'nomination#b', { untilMs: 'soon' });
  const move = { command: 'a', atMs: NOW_MS, untilMs: NOW_MS + 1, launched: [], evicted: {} };
  await store.recordMove('demo', move);
  await put(PARTITION, 'move#b', { payload: 'text' });
  await put('unavailable#us-east-1', 'offering#b', { capacityType: 'spot' });
  await put('learned#us-east-1', 'memory#b', { typeName: 'm5.large', imageId: 'ami-2' });
  expect(await store.listNominations('demo', NOW_MS)).toHaveLength(1);
  expect(await store.listMoves('demo', NOW_MS)).toEqual([move]);
  expect(await catalogue.listUnavailable(NOW_MS)).toHaveLength(1);
  expect(await catalogue.listLearnedMemory(NOW_MS)).toEqual([lesson]);
  expect(reported).toEqual(
    ['nomination#b', 'move#b', 'offering#b', 'memory#b'].map((sk) => expect.stringContaining(sk)),
  );
});

test('a memory of passes that cannot be read counts as empty, is reported, and is replaced', async () => {
  const { store, put, reported } = someStores();
  const rejected = [{ method: 'fleet', nodeClaim: 'a', inputs: 'abc', times: 1, untilMs: NOW_MS }] as const;
  for (const payload of [
    'edited',
    packBody({ rejected: 'a' }, 'x'),
    packBody({ rejected: null }, 'x'),
    packBody({ stopped: [null] }, 'x'),
  ]) {
    await put(PARTITION, 'pass-memory', { payload });
    expect(await store.readPassMemory('demo')).toEqual(NO_MEMORY);
    await store.writePassMemory('demo', { rejected });
    expect(await store.readPassMemory('demo')).toEqual({ ...NO_MEMORY, rejected });
  }
  expect(reported).toEqual(Array.from({ length: 4 }, () => expect.stringContaining('pass-memory')));
});

test('unused launches that cannot be read count as none, are reported, and are replaced', async () => {
  const { store, put, reported } = someStores();
  const launches = [{ pod: 'uid-1', launches: 3, firstMs: NOW_MS, lastMs: NOW_MS }];
  const broken = [{}, null, [null], [{ pod: 'uid-1' }], [{ ...launches[0], lastMs: 'now' }]];
  for (const payload of ['edited', ...broken.map((value) => packBody(value, 'x'))]) {
    await put(PARTITION, 'unused-launches', { payload });
    expect(await store.readUnusedLaunches('demo')).toEqual([]);
    await store.writeUnusedLaunches('demo', launches);
    expect(await store.readUnusedLaunches('demo')).toEqual(launches);
  }
  expect(reported).toEqual(Array.from({ length: 6 }, () => expect.stringContaining('unused-launches')));
});

test('unused launches outlive the process that has counted them, and expire when they count no more', async () => {
  const { store, table } = someStores();
  const launches = [{ pod: 'uid-1', launches: 3, firstMs: NOW_MS, lastMs: NOW_MS + MINUTE_MS }];
  await store.writeUnusedLaunches('demo', launches);
  expect(await new DynamoDbNodeClaimStore(table).readUnusedLaunches('demo')).toEqual(launches);
  const item = table.items().find(({ sk }) => sk?.S === 'unused-launches');
  expect(Number(item?.['expiresAt']?.N) * 1_000).toBe(NOW_MS + 121 * MINUTE_MS);
});

test('a mark, a lease and a call budget that cannot be read are overwritten', async () => {
  const { catalogue, leases, budget, put, table } = someStores();
  await catalogue.markUnavailable([MARK]);
  const sk = table.items().find((item) => item['pk']?.S === 'unavailable#us-east-1')?.['sk']?.S ?? '';
  await put('unavailable#us-east-1', sk, {});
  await put(PARTITION, 'lease#provisioning', { leaseFence: 'mine' });
  await put('budget#us-east-1', 'api#CreateFleet', { bucketVersion: 7 });
  await catalogue.markUnavailable([MARK]);
  expect(await catalogue.listUnavailable(NOW_MS)).toHaveLength(1);
  const seen = await leases.see({ cluster: 'demo', work: 'provisioning' });
  expect((await leases.acquire(seen)).kind).toBe('held');
  expect((await leases.acquire(seen)).kind).toBe('changed');
  expect((await budget.take('CreateFleet')).kind).toBe('granted');
});

test('a catalogue that cannot be read counts as not written, is reported, and can be written again', async () => {
  const { catalogue, put, reported, table } = someStores();
  const written = { region: 'us-east-1', asOf: '2026-01-01T00:00:00Z', facts: [], offerings: [] };
  await catalogue.writeCatalogue(written);
  const chunk = table.items().find(({ sk }) => sk?.S?.startsWith('chunk#') === true);
  await put(chunk?.['pk']?.S ?? '', chunk?.['sk']?.S ?? '', { payload: 'edited' });
  expect(await catalogue.readCatalogue()).toBeUndefined();
  expect(reported).toEqual([expect.stringContaining('the catalogue of us-east-1')]);
  await catalogue.writeCatalogue(written);
  expect(await catalogue.readCatalogue()).toEqual(written);
});

test.each([
  ['whose head has no version', {}],
  ['whose head has another number of chunks', { currentVersion: 'same', chunkCount: 2 }],
])('a catalogue %s counts as not written, is reported, and can be written again', async (_, head) => {
  const { catalogue, put, reported, table } = someStores();
  const written = { region: 'us-east-1', asOf: '2026-01-01T00:00:00Z', facts: [], offerings: [] };
  await catalogue.writeCatalogue(written);
  const current = table.items().find(({ sk }) => sk?.S === 'head')?.['currentVersion']?.S;
  await put('catalogue#us-east-1', 'head', 'currentVersion' in head ? { ...head, currentVersion: current } : head);
  expect(await catalogue.readCatalogue()).toBeUndefined();
  expect(reported).toEqual([expect.stringMatching(/catalogue#us-east-1 head .*restore or delete it/)]);
  await catalogue.writeCatalogue(written);
  expect(await catalogue.readCatalogue()).toEqual(written);
});

test.each([-1, 0])('a lease with the number %d is overwritten', async (leaseFence) => {
  const { leases, put } = someStores();
  await put(PARTITION, 'lease#disruption', { leaseFence, heldUntilMs: 0 });
  const seen = await leases.see({ cluster: 'demo', work: 'disruption' });
  expect((await leases.acquire(seen)).kind).toBe('held');
  expect((await leases.acquire(seen)).kind).toBe('changed');
});

test('a claim whose item has another version than its body is read with the version of the item, and can be written', async () => {
  const { store, put } = someStores();
  const record = aRecord({ name: 'general-a' });
  await put(PARTITION, 'claim#general-a', { claimVersion: 9, payload: packBody(record, 'x') });
  const [listed] = await store.listNodeClaims('demo');
  expect(listed?.version).toBe(9);
  await store.updateNodeClaim({ ...record, version: 9 });
  expect((await store.readNodeClaim('demo', 'general-a'))?.version).toBe(10);
});

test.each([{}, { epochCount: 'seven' }, { epochCount: 0 }, { epochCount: -1 }])(
  'an epoch %j is refused with what to do, until its item is deleted',
  async (item) => {
    const { store, put, table } = someStores();
    await put(PARTITION, 'epoch', item);
    await expect(store.readEpoch('demo')).rejects.toThrow(/cluster#demo epoch .*cannot be read.*restore or delete it/);
    const Key = marshall({ pk: PARTITION, sk: 'epoch' });
    await table.client.send(new DeleteItemCommand({ TableName: 'kerf', Key }));
    await store.recordDecision(aLaunchDecision(), await store.readEpoch('demo'));
    expect(await store.readEpoch('demo')).toBe(1);
  },
);

test('an action of a later version is left out of an open decision, whose other actions are carried out', async () => {
  const { store, put } = someStores();
  const decision = aLaunchDecision({ id: 'later' });
  await store.recordDecision(decision, 0);
  const actions = [...decision.actions, { kind: 'added-later', nodeClaim: 'none' }];
  await put(PARTITION, 'decision#later', { payload: packBody({ ...decision, actions }, 'x') });
  expect(await store.openDecisions('demo')).toEqual([decision]);
});
