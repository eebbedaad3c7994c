import { createHash } from 'node:crypto';
import { MINUTE_MS } from '../../apis/formats/time.ts';
import { ownField } from '../../apis/record.ts';
import { onceFor } from '../../core/kept-answers.ts';
import type { LaunchRequest, NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { UnreadableError } from '../../ports/errors.ts';
import { packBody, unpackBody } from './body.ts';
import { planKey } from './keys.ts';
import { hasObjects, hasTexts, isClaim, isLaunch, isNodeClaimRecord } from './stored-shapes.ts';
import type { Table } from './table.ts';

/**
 * What only a launch needs, 3 to 5 KB of a record: the options with their types, which the alike claims of a decision share, and the request,
 * which the claims of a group share. Each is an item of its own under the hash of its content, and the record refers to it: the item of a
 * claim is written in transactions, which cost twice its size, and each list reads it. A plan is written before the first record that refers to
 * it, and never changes.
 */

/** Longer than a claim waits for its launch. A claim whose options are gone is given up like one without an offering. */
const KEPT_SECONDS = 90 * 24 * 3_600;
/** Plans that a process keeps for all clusters together, each of which takes 50 KB of memory. The oldest are forgotten first. */
const MAX_PLANS = 500;
/** A plan is written again for claims that were created later than this: the table may have been restored, and the process still runs. */
const KNOWN_MS = 10 * MINUTE_MS;

type Offers = Pick<NodeClaimRecord, 'options' | 'types'>;
type Launch = NodeClaimRecord['launch'];

/** A record whose launch is not over. An earlier version cannot read it, and leaves its claim and its instance alone. */
type StoredRecord = Omit<NodeClaimRecord, 'launch' | 'options' | 'types'> & { readonly launching: Launching };

interface Launching {
  readonly launch: Exclude<Launch, { kind: 'requested' }> | Omit<Extract<Launch, { kind: 'requested' }>, 'request'>;
  /** The keys of the plans. @default no options */
  readonly offers?: string;
  /** @default nothing is requested */
  readonly request?: string;
}

interface Plan {
  /** A promise, so that claims share one read or write. *Shape:* undefined if it is gone. */
  readonly value: Promise<unknown>;
  /** When the claim was created for which it was written or read. */
  readonly forMs: number;
}

interface Plans {
  /** By `placeOf`: the table has a plan once for each cluster that refers to it, and clusters may have equal plans. */
  readonly values: Map<string, Plan>;
  /** The keys of values that this process has read or written. */
  readonly keys: WeakMap<object, string>;
}

const plansOf = onceFor((_table: Table): Plans => ({ values: new Map(), keys: new WeakMap() }));

function placeOf(cluster: string, key: string): string {
  const { pk, sk } = planKey(cluster, key);
  return `${pk} ${sk}`;
}

/** The record as it is stored. *Cost:* a write for each plan that this process has not read or written. */
export async function storedRecord(table: Table, record: NodeClaimRecord): Promise<NodeClaimRecord | StoredRecord> {
  const { launch, options, types, ...others } = record;
  if (launch.kind === 'launched' || record.releasedAtMs !== undefined) return record;
  const at = { table, record };
  const offers = options.length === 0 && types.length === 0 ? undefined : await stored(at, options, { options, types });
  if (launch.kind !== 'requested') return { ...others, launching: { launch, ...(offers !== undefined && { offers }) } };
  const { request, ...requested } = launch;
  const key = await stored(at, request, request);
  return { ...others, launching: { launch: requested, request: key, ...(offers !== undefined && { offers }) } };
}

/** @param about stands for the value: the same object has the same value */
async function stored(
  { table, record }: { readonly table: Table; readonly record: NodeClaimRecord },
  about: object,
  value: unknown,
): Promise<string> {
  const { keys, values } = plansOf(table);
  const of = (key: string): Plan | undefined => values.get(placeOf(record.cluster, key));
  const isKnown = (key: string): boolean => record.createdAtMs - (of(key)?.forMs ?? -Infinity) <= KNOWN_MS;
  const known = keys.get(about);
  if (known !== undefined && isKnown(known)) return known;
  const text = JSON.stringify(value);
  const key = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  const pending = isKnown(key) ? of(key)?.value : undefined;
  // One that is being read may be gone, and a write may fail.
  if (pending === undefined || (await pending.catch(() => undefined)) === undefined) {
    const writing = { value: writePlan(table, record, { key, value }), forMs: record.createdAtMs };
    const place = placeOf(record.cluster, key);
    keep(values, place, writing);
    await kept(values, place, writing);
  }
  keys.set(about, key);
  return key;
}

async function writePlan(
  table: Table,
  { cluster, name, createdAtMs }: NodeClaimRecord,
  { key, value }: { readonly key: string; readonly value: unknown },
): Promise<unknown> {
  const expiresAt = Math.ceil(createdAtMs / 1_000) + KEPT_SECONDS;
  const payload = packBody(value, `the launch of NodeClaim ${name}`);
  await table.write({ kind: 'put', item: { ...planKey(cluster, key), payload, expiresAt } });
  return value;
}

function keep(values: Plans['values'], place: string, one: Plan): void {
  values.delete(place);
  values.set(place, one);
  const [oldest] = values.keys();
  if (values.size > MAX_PLANS && oldest !== undefined) values.delete(oldest);
}

/** *Errors:* those of the read or write, which is forgotten then. */
async function kept(values: Plans['values'], place: string, one: Plan): Promise<unknown> {
  try {
    return await one.value;
  } catch (error) {
    values.delete(place);
    throw error;
  }
}

/** *Errors:* UnreadableError if the item is not that of a record, or if the request of its launch is gone; those of the reads. */
export async function readRecord(table: Table, payload: unknown, subject: string): Promise<NodeClaimRecord> {
  const read = unpackBody(payload, isStored, subject);
  if (!isLaunching(read)) return read;
  const { launching, ...others } = read;
  const { cluster, createdAtMs: forMs } = read;
  const at = { table, cluster, subject, forMs };
  const offers = (launching.offers === undefined ? undefined : await plan(at, launching.offers, isOffers)) ?? NO_OFFERS;
  return { ...others, ...offers, launch: await launchOf(launching, at) };
}

async function launchOf({ launch, request: key }: Launching, at: PlanPlace): Promise<Launch> {
  if (launch.kind !== 'requested') return launch;
  const request = key === undefined ? undefined : await plan(at, key, isRequest);
  if (request !== undefined) return { ...launch, request };
  throw new UnreadableError(
    `${at.subject} has no request in the table: restore the item ${String(key)} of its cluster`,
  );
}

const NO_OFFERS: Offers = { options: [], types: [] };

interface PlanPlace {
  readonly table: Table;
  readonly cluster: string;
  readonly subject: string;
  readonly forMs: number;
}

/** *Shape:* undefined if it is gone. The claims that refer to it share one object. */
async function plan<T extends object>(
  { table, cluster, forMs }: PlanPlace,
  key: string,
  is: (value: unknown) => value is T,
): Promise<T | undefined> {
  const { keys, values } = plansOf(table);
  const place = placeOf(cluster, key);
  const reading = values.get(place) ?? { value: readPlan(table, cluster, key), forMs };
  keep(values, place, reading);
  const value = await kept(values, place, reading);
  if (!is(value)) {
    values.delete(place);
    return undefined;
  }
  keys.set(standsFor(value), key);
  return value;
}

/** By a query, because functions that only list claims may not read an item by its key (`tableAccess`). */
async function readPlan(table: Table, cluster: string, key: string): Promise<unknown> {
  const { pk, sk } = planKey(cluster, key);
  const [item] = await table.query(pk, sk);
  return item === undefined ? undefined : unpackBody(item['payload'], isAny, `plan ${key} of ${cluster}`);
}

/** The lists of a record are passed on from one version to the next, and the object of both is not. */
function standsFor(value: object): object {
  return isOffers(value) ? value.options : value;
}

function isAny(_value: unknown): _value is unknown {
  return true;
}

function isOffers(value: unknown): value is Offers {
  return hasObjects(value, ['options', 'types']);
}

function isRequest(value: unknown): value is LaunchRequest {
  return hasTexts(value, ['clientToken', 'nodeClaim']) && hasObjects(value, ['overrides', 'templates']);
}

function isStored(value: unknown): value is NodeClaimRecord | StoredRecord {
  return isNodeClaimRecord(value) || isLaunchingRecord(value);
}

function isLaunching(value: NodeClaimRecord | StoredRecord): value is StoredRecord {
  return 'launching' in value;
}

function isLaunchingRecord(value: unknown): value is StoredRecord {
  return isClaim(value) && isLaunch(ownField(ownField(value, 'launching'), 'launch'));
}
