import { onceFor } from '../../core/kept-answers.ts';
import { instanceOf, type NodeClaimRecord, withoutLaunchOptions } from '../../core/model/node-claim-record.ts';
import { InstanceTakenError, StaleRecordError } from '../../ports/errors.ts';
import type { NodeClaimList } from '../../ports/node-claim-store.ts';
import { packRecord } from './body.ts';
import { CLAIM, claimItemKey, clusterPartition, DELETED, deletedKey, instanceKey, tombstoneKey } from './keys.ts';
import { readRecord, storedRecord } from './launch-plans.ts';
import { numberOf, type ReportUnreadable, readItem, readItems } from './readable.ts';
import { ABSENT, type Attributes, type Item, type Key, type Table, type Write, type WriteCondition } from './table.ts';

/** How long the name of a released claim stays reserved: longer than any open decision that may create the claim. */
const TOMBSTONE_SECONDS = 30 * 24 * 3_600;

export async function createClaim(table: Table, record: NodeClaimRecord): Promise<void> {
  await markDeleted(table, record);
  const writes: readonly Write[] = [
    { kind: 'put', item: await itemOf(table, claimItemKey(record.cluster, record.name), record), condition: ABSENT },
    { kind: 'check', key: tombstoneKey(record.cluster, record.name), condition: ABSENT },
    ...lookupOf(record),
  ];
  // Refused: the name exists, and the existing claim is not changed.
  await table.transact(writes, `create NodeClaim ${record.name}`);
}

interface ReadTable {
  readonly table: Table;
  readonly report: ReportUnreadable;
}

export async function readClaim(
  { table, report }: ReadTable,
  cluster: string,
  name: string,
): Promise<NodeClaimRecord | undefined> {
  // In this order, because a claim only moves from the first key to the second.
  const item = await table.get(claimItemKey(cluster, name));
  if (item !== undefined) return recordOf(table, item);
  const tombstone = await table.get(tombstoneKey(cluster, name));
  if (tombstone === undefined) return undefined;
  const read = await readItem(tombstone, async (one) => recordOf(table, one));
  if (read.kind === 'read') return read.value;
  // No list contains it.
  report(read.error);
  throw read.error;
}

/**
 * A warm function uses the records of its last list again, for items that have not changed: 5,000 items take 0.4 s to decompress.
 * Calculations that are kept for a record are kept, too. *Cost:* memory for the claims of the last list of each cluster.
 */
export async function listClaims(table: Table, cluster: string, report: ReportUnreadable): Promise<NodeClaimList> {
  const items = await table.query(clusterPartition(cluster), CLAIM);
  const lists = lastListsOf(table);
  const before = lists.get(cluster);
  const now = new Map<unknown, ListedClaim>();
  const read = async (item: Attributes): Promise<NodeClaimRecord> => {
    const known = before?.get(item['sk']);
    const isKnown = known !== undefined && isSameItem(known.item, item);
    const listed = isKnown ? known : { item, record: await recordOf(table, item) };
    now.set(item['sk'], listed);
    return listed.record;
  };
  const { values: records, unreadable } = await readItems(items, read, report);
  lists.set(cluster, now);
  return {
    records,
    unreadable: unreadable.map(({ item, error }) => ({
      name: String(item['sk']).slice(CLAIM.length),
      message: error.message,
    })),
  };
}

interface ListedClaim {
  readonly item: Attributes;
  readonly record: NodeClaimRecord;
}

/** For each table, the claims of the last list of each cluster, by sort key. */
const lastListsOf = onceFor((_table: Table) => new Map<string, ReadonlyMap<unknown, ListedClaim>>());

/** A version may come again with other content, if the table was restored. */
function isSameItem(one: Attributes, other: Attributes): boolean {
  const [before, now] = [one['payload'], other['payload']];
  return (
    one['claimVersion'] === other['claimVersion'] &&
    before instanceof Uint8Array &&
    now instanceof Uint8Array &&
    Buffer.compare(before, now) === 0
  );
}

/** The lookup of the instance has the cluster: IAM denies the read of a claim of a cluster that the function does not serve. */
export async function findClaim(
  from: ReadTable,
  instanceId: string,
  isServed: (cluster: string) => boolean,
): Promise<NodeClaimRecord | 'not-served' | undefined> {
  const lookup = await from.table.get(instanceKey(instanceId));
  if (lookup === undefined) return undefined;
  const cluster = String(lookup['clusterName']);
  return isServed(cluster) ? readClaim(from, cluster, String(lookup['claimName'])) : 'not-served';
}

/** A released claim has no mark. This is for marks that remain, as after a rollback. */
const MARK_SECONDS = 24 * 60 * 60;
/** A process writes the mark of a deletion once. If the table was restored, the deletion is recorded again, at another time. */
const marked = onceFor((_table: Table) => new Set<string>());
const MAX_MARKED = 10_000;

/**
 * Marks a claim that is being deleted, before its record says so: a mark without such a record is harmless, and a record without a mark
 * would be found late. *Cost:* a write unit for each process that writes the record.
 */
async function markDeleted(table: Table, { cluster, name, deletion }: NodeClaimRecord): Promise<void> {
  if (deletion === undefined) return;
  const known = marked(table);
  const key = deletedKey(cluster, name);
  const mark = `${key.pk}${key.sk}#${deletion.requestedAtMs}`;
  if (known.has(mark)) return;
  const expiresAt = Math.ceil(deletion.requestedAtMs / 1_000) + MARK_SECONDS;
  await table.write({ kind: 'put', item: { ...key, expiresAt } });
  if (known.size >= MAX_MARKED) known.clear();
  known.add(mark);
}

export async function hasDeletedClaims(table: Table, cluster: string): Promise<boolean> {
  return (await table.query(clusterPartition(cluster), DELETED, 'sk')).length > 0;
}

export async function updateClaim(table: Table, record: NodeClaimRecord): Promise<NodeClaimRecord> {
  if (record.releasedAtMs === undefined) await markDeleted(table, record);
  const next = withoutLaunchOptions({ ...record, version: record.version + 1 });
  const unchanged: WriteCondition = { expression: 'claimVersion = :read', values: { ':read': record.version } };
  const written =
    next.releasedAtMs === undefined ? await writeUpdate(table, next, unchanged) : await release(table, next, unchanged);
  if (written) return next;
  throw new StaleRecordError(
    `NodeClaim ${record.name} of ${record.cluster} is no longer at version ${record.version}; read it again`,
  );
}

/**
 * Writes the lookup item only with the first update that has the instance. Later updates are plain writes, which cost half
 * as much as a transaction. A plain write that is refused costs as much as the stored item, which is large before the first of them,
 * so a claim that looks just launched is not tried that way.
 */
async function writeUpdate(table: Table, next: NodeClaimRecord, unchanged: WriteCondition): Promise<boolean> {
  const item = await itemOf(table, claimItemKey(next.cluster, next.name), next);
  const instance = instanceOf(next);
  if (instance === undefined)
    return (await table.write({ kind: 'put', item, condition: unchanged })).kind === 'written';
  if (!isJustLaunched(next)) {
    const noted: WriteCondition = {
      expression: `${unchanged.expression} AND instanceId = :instance`,
      values: { ...unchanged.values, ':instance': instance.id },
    };
    const outcome = await table.write({ kind: 'put', item, condition: noted });
    if (outcome.kind === 'written') return true;
    if (outcome.found !== undefined && outcome.found['claimVersion'] !== next.version - 1) return false;
  }
  const writes: readonly Write[] = [{ kind: 'put', item, condition: unchanged }, ...lookupOf(next).map(ownedBy(next))];
  const outcome = await table.transact(writes, `update NodeClaim ${next.name}`);
  // The first write is that of the claim, the second one that of the lookup.
  if (outcome.kind === 'refused' && !outcome.at.has(0)) {
    throw new InstanceTakenError(
      `the table has another NodeClaim than ${next.name} for instance ${instance.id}; check the tag karpenter.sh/nodeclaim of the instance`,
    );
  }
  return outcome.kind === 'written';
}

/** The write after the launch has none of what is found later. If it has been made before, the transaction writes the lookup again. */
function isJustLaunched({ expectedNodeName, nodeName, registeredAtMs, deletion }: NodeClaimRecord): boolean {
  return (expectedNodeName ?? nodeName ?? registeredAtMs ?? deletion) === undefined;
}

/** Promise 1: no instance gets a second claim. */
function ownedBy({ cluster, name }: NodeClaimRecord): (write: PutOfLookup) => Write {
  const condition: WriteCondition = {
    expression: 'attribute_not_exists(pk) OR (clusterName = :cluster AND claimName = :claim)',
    values: { ':cluster': cluster, ':claim': name },
  };
  return (write) => ({ ...write, condition });
}

/** Writes records of claims without an instance: all or none. */
export async function updateClaims(
  table: Table,
  records: readonly NodeClaimRecord[],
): Promise<readonly NodeClaimRecord[]> {
  const next = records.map((record) => ({ ...record, version: record.version + 1 }));
  const writes: Write[] = [];
  for (const record of next) {
    const condition = { expression: 'claimVersion = :read', values: { ':read': record.version - 1 } };
    // In turn, so that a plan that they share is written once.
    const item = await itemOf(table, claimItemKey(record.cluster, record.name), record);
    writes.push({ kind: 'put', item, condition });
  }
  const outcome = await table.transact(writes, `update ${records.length} NodeClaims`);
  if (outcome.kind === 'written') return next;
  const changed = [...outcome.at].map((index) => records[index]?.name).join(', ');
  throw new StaleRecordError(`NodeClaims that are no longer at the version that was read: ${changed}; read them again`);
}

type PutOfLookup = Write & { readonly kind: 'put' };

async function release(table: Table, next: NodeClaimRecord, unchanged: WriteCondition): Promise<boolean> {
  const expiresAt = Math.ceil((next.releasedAtMs ?? 0) / 1_000) + TOMBSTONE_SECONDS;
  const tombstone = { ...(await itemOf(table, tombstoneKey(next.cluster, next.name), next)), expiresAt };
  const writes: readonly Write[] = [
    { kind: 'delete', key: claimItemKey(next.cluster, next.name), condition: unchanged },
    { kind: 'put', item: tombstone },
    ...(next.deletion === undefined ? [] : [{ kind: 'delete', key: deletedKey(next.cluster, next.name) } as const]),
    ...lookupOf(next, { expiresAt }),
  ];
  return (await table.transact(writes, `release NodeClaim ${next.name}`)).kind === 'written';
}

async function itemOf(table: Table, key: Key, record: NodeClaimRecord): Promise<Item> {
  const instance = instanceOf(record);
  return {
    ...key,
    claimVersion: record.version,
    ...(instance === undefined ? {} : { instanceId: instance.id }),
    payload: packRecord(await storedRecord(table, record), `NodeClaim ${record.name}`),
  };
}

function lookupOf(record: NodeClaimRecord, more: Attributes = {}): readonly PutOfLookup[] {
  const instance = instanceOf(record);
  if (instance === undefined) return [];
  const item = { ...instanceKey(instance.id), clusterName: record.cluster, claimName: record.name, ...more };
  return [{ kind: 'put', item }];
}

/** Earlier versions stored launched claims with their options. The next write requires the version of the item. */
async function recordOf(table: Table, item: Attributes): Promise<NodeClaimRecord> {
  const subject = `NodeClaim item ${String(item['pk'])} ${String(item['sk'])}`;
  const record = await readRecord(table, item['payload'], subject);
  return withoutLaunchOptions({ ...record, version: numberOf(item, 'claimVersion') });
}
