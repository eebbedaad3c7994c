import { CAPACITY_TYPES } from '../../apis/labels.ts';
import { optional } from '../../apis/optional.ts';
import { inParallel } from '../../core/in-parallel.ts';
import { MARK_SERIES_MS, type Marked, marked } from '../../core/instance-type/offerings/marked.ts';
import { unavailableKey } from '../../core/instance-type/offerings/unavailable.ts';
import type { UnavailableMark, UnavailableOffering } from '../../core/model/decision.ts';
import { UnreachableError } from '../../ports/errors.ts';
import { OFFERING, unavailableOfferingKey, unavailablePartition } from './keys.ts';
import { numberOf, type ReportUnreadable, readableItems, textOf, unreadable } from './readable.ts';
import { ABSENT, type Attributes, type Item, PRESENT, type Table, type WriteCondition } from './table.ts';

const TRIES = 5;
/** A fleet request without capacity marks some hundred offerings, with limited concurrency. */
const AT_ONCE = 25;

export async function markAll(table: Table, region: string, marks: readonly UnavailableMark[]): Promise<void> {
  await inParallel(marks, AT_ONCE, async (mark) => markOne(table, region, mark));
}

/** Optimistic locking: if two clusters mark an offering at the same time, the second finds the mark of the first. */
async function markOne(table: Table, region: string, mark: UnavailableMark): Promise<void> {
  let seen: Attributes | undefined;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const before = seen === undefined || !isMark(seen) ? undefined : memoryOf(seen);
    const memory = marked(before, mark.atMs, mark.reason);
    if (memory === before) return;
    const item = itemOf(region, mark, memory);
    // Most marks are new, so the first try does not read. Each try needs the result of the previous one.
    const outcome = await table.write({
      kind: 'put',
      item,
      condition: conditionFor(seen, before),
    });
    if (outcome.kind === 'written') return;
    seen = outcome.found;
  }
  throw new UnreachableError(
    `${unavailableKey(mark)} could not be marked unavailable: it was changed ${TRIES} times meanwhile; try again`,
  );
}

export async function listMarked(
  table: Table,
  region: string,
  { nowMs, report }: { readonly nowMs: number; readonly report: ReportUnreadable },
): Promise<readonly UnavailableOffering[]> {
  const items = await table.query(unavailablePartition(region), OFFERING);
  return (await readableItems(items, offeringOf, report)).filter((offering) => offering.untilMs > nowMs);
}

function itemOf(region: string, mark: UnavailableMark, memory: Marked): Item {
  const { instanceType, zone, capacityType, subnetId, reservationId, reason } = mark;
  const { placementGroupId, tenancy, minVcpus, nodeClass } = mark;
  return {
    ...unavailableOfferingKey(region, unavailableKey(mark)),
    ...memory,
    typeName: instanceType,
    zoneName: zone,
    capacityType,
    ...optional({ subnetId, reservationId, placementGroupId, tenancy, minVcpus, nodeClass }),
    refusal: reason,
    // Kept beyond its end, so the next mark can be longer.
    expiresAt: Math.ceil((memory.untilMs + MARK_SERIES_MS) / 1_000),
  };
}

/** An item that cannot be read is overwritten. */
function conditionFor(seen: Attributes | undefined, before: Marked | undefined): WriteCondition {
  if (seen === undefined) return ABSENT;
  return before === undefined ? PRESENT : unchanged(before);
}

function isMark(item: Attributes): boolean {
  return ['markedAtMs', 'untilMs', 'strikes'].every((name) => typeof item[name] === 'number');
}

/** Each change of a mark increases `markedAtMs`. */
function unchanged({ markedAtMs }: Marked): WriteCondition {
  return { expression: 'markedAtMs = :marked', values: { ':marked': markedAtMs } };
}

function memoryOf(item: Attributes): Marked {
  return {
    markedAtMs: numberOf(item, 'markedAtMs'),
    untilMs: numberOf(item, 'untilMs'),
    strikes: numberOf(item, 'strikes'),
  };
}

function offeringOf(item: Attributes): UnavailableOffering {
  const { subnetId, reservationId, placementGroupId, tenancy, minVcpus, nodeClass } = item;
  const capacityType = CAPACITY_TYPES.find((each) => each === item['capacityType']);
  if (capacityType === undefined) throw unreadable(item, 'its capacityType is unknown');
  const { untilMs, markedAtMs } = memoryOf(item);
  return {
    instanceType: textOf(item, 'typeName'),
    zone: textOf(item, 'zoneName'),
    capacityType,
    ...(subnetId === undefined ? {} : { subnetId: String(subnetId) }),
    ...(reservationId === undefined ? {} : { reservationId: String(reservationId) }),
    ...(placementGroupId === undefined ? {} : { placementGroupId: String(placementGroupId) }),
    ...(nodeClass === undefined ? {} : { nodeClass: String(nodeClass) }),
    ...(tenancy === 'dedicated' ? { tenancy } : {}),
    ...(typeof minVcpus === 'number' ? { minVcpus } : {}),
    untilMs,
    markedAtMs,
    reason: String(item['refusal']),
  };
}
