import { MINUTE_MS } from '../../apis/formats/time.ts';
import { compareText } from '../../core/compare-text.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { Clock } from '../../ports/clock.ts';
import { EpochMovedError, PortError, RefusedError, StaleLeaseError, UnreadableError } from '../../ports/errors.ts';
import type { Lease } from '../../ports/leases.ts';
import { compress, tooLarge, unpackBody } from './body.ts';
import type { Bodies } from './body-bucket.ts';
import { clusterPartition, decisionKey, epochKey, leaseKey, OPEN, openKey } from './keys.ts';
import { fencedBy } from './leases.ts';
import { numberOf, type ReportUnreadable, readItems, unreadable } from './readable.ts';
import { isStoredDecision, typedDecision } from './stored-decision.ts';
import { ABSENT, type Attributes, PRESENT, type Table, type Write, type WriteCondition } from './table.ts';

/** How long a completed decision is kept in the table. */
const HISTORY_SECONDS = 7 * 24 * 3_600;
/** How long an open decision that cannot be read is kept open. */
const UNREADABLE_MS = 60 * MINUTE_MS;

export async function readEpoch(table: Table, cluster: string): Promise<number> {
  const item = await table.get(epochKey(cluster));
  if (item === undefined) return 0;
  const epoch = numberOf(item, 'epochCount');
  // The epoch 0 is that of an item that does not exist.
  if (epoch <= 0) throw unreadable(item, `epochCount is ${epoch}, and must be positive`);
  return epoch;
}

/** The storage of decisions: the table, and a bucket for bodies that are too large for an item. */
export interface DecisionPlace {
  readonly table: Table;
  readonly bodies: Bodies | undefined;
  /** The size from which a body is stored in `bodies`. */
  readonly maxItemBytes: number;
  readonly clock: Clock | undefined;
  readonly report: ReportUnreadable;
}

export interface Recording {
  readonly decision: Decision;
  readonly epoch: number;
  readonly lease: Lease | undefined;
}

export async function recordDecision(place: DecisionPlace, { decision, epoch, lease }: Recording): Promise<void> {
  const { table } = place;
  const { cluster, id } = decision;
  const header = { ...decisionKey(cluster, id), ...(await bodyOf(place, decision)) };
  const asRead: WriteCondition =
    epoch === 0 ? ABSENT : { expression: 'epochCount = :read', values: { ':read': epoch } };
  const writes: readonly Write[] = [
    { kind: 'set', key: epochKey(cluster), attributes: { epochCount: epoch + 1 }, condition: asRead },
    { kind: 'put', item: header, condition: ABSENT },
    { kind: 'put', item: { ...openKey(cluster, id), decidedAtMs: decision.atMs } },
  ];
  const fenced: readonly Write[] =
    lease === undefined ? [] : [{ kind: 'check', key: leaseKey(lease), condition: fencedBy(lease) }];
  const outcome = await table.transact([...writes, ...fenced], `record decision ${id}`);
  if (outcome.kind === 'written') return;
  // Refused: the decision already exists, perhaps from a first try whose response was lost, or another run was faster.
  if ((await table.get(decisionKey(cluster, id))) !== undefined) return;
  if (lease !== undefined && outcome.at.has(writes.length)) {
    throw new StaleLeaseError(
      `${lease.work} of ${cluster}: lease ${lease.fence} was taken over; decision ${id} was not recorded and must be made again`,
    );
  }
  throw new EpochMovedError(
    `cluster ${cluster} is no longer at epoch ${epoch}; decision ${id} was not recorded and must be made again`,
  );
}

/** Stores the body in the item where it fits. The bucket may fail too, and its objects expire. */
async function bodyOf({ bodies, maxItemBytes }: DecisionPlace, decision: Decision): Promise<Attributes> {
  const payload = compress(decision);
  if (payload.byteLength <= maxItemBytes) return { payload };
  if (bodies === undefined) throw tooLarge(payload, `decision ${decision.id}`);
  return { payloadKey: await bodies.put(payload) };
}

export async function openDecisions(place: DecisionPlace, cluster: string): Promise<readonly Decision[]> {
  const { table } = place;
  const pointers = await table.query(clusterPartition(cluster), OPEN);
  const found = await readItems(pointers, async (pointer) => openDecision(place, cluster, pointer), place.report);
  // Another function may have the right to read a body, and finishes its decision.
  const broken = found.unreadable.filter(({ error }) => !(error.cause instanceof RefusedError));
  for (const { item } of broken) await setAside(place, item);
  return found.values.toSorted((a, b) => a.atMs - b.atMs || compareText(a.id, b.id));
}

export async function hasOpenDecisions(table: Table, cluster: string): Promise<boolean> {
  return (await table.query(clusterPartition(cluster), OPEN, 'sk')).length > 0;
}

/** When the decisions were made that are not closed, those that cannot be read included. *Cost:* one query. */
export async function openDecisionTimes(table: Table, cluster: string): Promise<readonly number[]> {
  const pointers = await table.query(clusterPartition(cluster), OPEN);
  return pointers.map(({ decidedAtMs }) => Number(decidedAtMs ?? 0));
}

async function openDecision(place: DecisionPlace, cluster: string, pointer: Attributes): Promise<Decision> {
  const key = decisionKey(cluster, String(pointer['sk']).slice(OPEN.length));
  const header = await place.table.get(key);
  if (header === undefined) throw unreadable(pointer, 'its decision does not exist');
  return decisionIn(place, header);
}

/** An unreadable decision is kept for an hour, so that another version of Kerf may read it, and then it is no longer open. */
async function setAside({ table, clock }: DecisionPlace, pointer: Attributes): Promise<void> {
  if (clock === undefined || Number(pointer['decidedAtMs'] ?? 0) > clock.now() - UNREADABLE_MS) return;
  await table.write({ kind: 'delete', key: { pk: String(pointer['pk']), sk: String(pointer['sk']) } });
}

async function decisionIn({ bodies }: DecisionPlace, header: Attributes): Promise<Decision> {
  const subject = `decision item ${String(header['sk'])}`;
  const { payloadKey } = header;
  if (payloadKey === undefined) return typedDecision(unpackBody(header['payload'], isStoredDecision, subject));
  const body = await bodyIn(bodies, String(payloadKey), subject);
  await keepBody(bodies, body);
  return typedDecision(unpackBody(body, isStoredDecision, subject));
}

/** *Errors:* UnreadableError also where the bucket refuses the read, which concerns this decision only; UnreachableError. */
async function bodyIn(bodies: Bodies | undefined, key: string, subject: string): Promise<Uint8Array> {
  try {
    if (bodies === undefined) throw new RefusedError('this function has no access to the bucket');
    return await bodies.get(key, subject);
  } catch (cause) {
    if (!(cause instanceof RefusedError) || cause instanceof UnreadableError) throw cause;
    throw new UnreadableError(`the body of ${subject} cannot be read: ${cause.message}`, { cause });
  }
}

/**
 * An open decision may outlive the objects of the bucket, so each read rewrites its body. Nothing waits for it: the next read of 30 days
 * rewrites it too.
 */
async function keepBody(bodies: Bodies | undefined, body: Uint8Array): Promise<void> {
  try {
    await bodies?.put(body);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
  }
}

/**
 * In this order: if the function stops in between, the decision is closed again, and its expiry is already set. A decision that the SDK may
 * have closed before it repeated the delete is published: twice is better than never.
 */
export async function closeDecision(table: Table, decision: Decision): Promise<'closed' | 'known'> {
  const expiresAt = Math.ceil(decision.atMs / 1_000) + HISTORY_SECONDS;
  const key = decisionKey(decision.cluster, decision.id);
  await table.write({ kind: 'set', key, attributes: { expiresAt }, condition: PRESENT });
  const deleted = await table.write({
    kind: 'delete',
    key: openKey(decision.cluster, decision.id),
    condition: PRESENT,
  });
  return deleted.kind === 'written' || deleted.repeated === true ? 'closed' : 'known';
}

/** Without an item in the list of open decisions it is not completed. Two concurrent runs may write the same decision twice. */
export async function writeShadowDecision(
  place: DecisionPlace,
  decision: Decision,
  essence: string,
): Promise<'new' | 'known'> {
  const { cluster, id, atMs } = decision;
  const key = decisionKey(cluster, id);
  const there = await place.table.get(key);
  // DynamoDB may delete expired items up to two days late.
  if (there?.['essence'] === essence && Number(there['expiresAt']) * 1_000 > atMs) return 'known';
  const expiresAt = Math.ceil(atMs / 1_000) + HISTORY_SECONDS;
  await place.table.write({ kind: 'put', item: { ...key, ...(await bodyOf(place, decision)), essence, expiresAt } });
  return 'new';
}
