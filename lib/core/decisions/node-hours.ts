/** What ran, for how long and at what price, from the records of decisions. */
import { HOUR_MS } from '../../apis/formats/time.ts';
import { compareText } from '../compare-text.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';
import type { DecisionRecord, RecordedAction } from './decision-record.ts';

/** One instance at one price. */
export interface NodeSpan {
  /** The id of the instance. */
  readonly instance: string;
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly usdPerHour: number;
  readonly fromMs: number;
  /** @default it runs */
  readonly untilMs?: number;
}

/**
 * The instances of a cluster. An instance begins with its launch, and ends when it is terminated, or else when its NodeClaim is
 * released. The record of its end has its price too, so the record of its beginning may be missing.
 * @param running the NodeClaims of the cluster now. @default instances without an end run
 */
export function nodeSpans(
  records: readonly DecisionRecord[],
  running: readonly NodeClaimRecord[] = [],
): readonly NodeSpan[] {
  const books = new Map<string, Book>();
  for (const { atMs, actions, shadow } of records)
    if (shadow !== true) for (const action of actions) note(books, action, atMs);
  for (const claim of running) noteRunning(books, claim);
  return [...books.values()].flatMap(spansOf);
}

interface Book {
  /** The prices by time. The instance has the last one. */
  readonly prices: NodeSpan[];
  terminatedMs?: number;
  releasedMs?: number;
}

function note(books: Map<string, Book>, action: RecordedAction, atMs: number): void {
  const span = spanOf(action);
  if (span === undefined) return;
  const book = bookOf(books, span, { atMs, reservedUntilMs: action.reservedUntilMs });
  // EC2 may refuse a termination, which is then requested again.
  if (action.kind === 'terminate-instance') book.terminatedMs = atMs;
  if (action.kind === 'release-node-claim') book.releasedMs = atMs;
}

function noteRunning(books: Map<string, Book>, { nodePool, launch, deletion, releasedAtMs }: NodeClaimRecord): void {
  if (launch.kind !== 'launched' || releasedAtMs !== undefined) return;
  const { atMs, reservedUntilMs } = launch;
  const { id, instanceType, zone, capacityType, priceUsdPerHour } = launch.instance;
  const price = { nodePool, instanceType, zone, capacityType, usdPerHour: priceUsdPerHour };
  const book = bookOf(books, { instance: id, ...price, fromMs: atMs }, { atMs, reservedUntilMs });
  const endedMs = deletion?.terminateRequestedAtMs;
  if (endedMs !== undefined) book.terminatedMs ??= endedMs;
}

interface PriceTimes {
  readonly atMs: number;
  readonly reservedUntilMs: number | undefined;
}

/** With a new price since the end of the reservation of the instance, or else since the time of the record. */
function bookOf(books: Map<string, Book>, span: NodeSpan, { atMs, reservedUntilMs }: PriceTimes): Book {
  const first = reservedUntilMs === undefined ? span : ({ ...span, capacityType: 'reserved', usdPerHour: 0 } as const);
  const book = books.get(span.instance) ?? { prices: [first] };
  books.set(span.instance, book);
  const { usdPerHour, capacityType, fromMs } = book.prices.at(-1) ?? first;
  if (usdPerHour !== span.usdPerHour || capacityType !== span.capacityType)
    book.prices.push({ ...span, fromMs: Math.max(reservedUntilMs ?? atMs, fromMs) });
  return book;
}

function spanOf({ instance, nodePool, instanceType, zone, capacityType, usdPerHour, sinceMs }: RecordedAction) {
  if (instance === undefined || nodePool === undefined || instanceType === undefined) return undefined;
  if (zone === undefined || capacityType === undefined || usdPerHour === undefined) return undefined;
  if (sinceMs === undefined) return undefined;
  return { instance, nodePool, instanceType, zone, capacityType, usdPerHour, fromMs: sinceMs };
}

function spansOf({ prices, terminatedMs, releasedMs }: Book): readonly NodeSpan[] {
  const endMs = terminatedMs ?? releasedMs;
  return prices.map((span, at) => {
    const untilMs = prices[at + 1]?.fromMs ?? endMs;
    return untilMs === undefined ? span : { ...span, untilMs };
  });
}

export interface NodeCost {
  readonly key: string;
  /** The number of instances. */
  readonly nodes: number;
  readonly nodeHours: number;
  readonly usd: number;
}

/** What the instances cost between two times, by the highest cost. */
export function costByKey(
  spans: readonly NodeSpan[],
  keyOf: (span: NodeSpan) => string,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): readonly NodeCost[] {
  const clipped = spans.flatMap((span) => {
    const ms = Math.min(span.untilMs ?? untilMs, untilMs) - Math.max(span.fromMs, fromMs);
    return ms <= 0 ? [] : [{ span, ms }];
  });
  return [...Map.groupBy(clipped, ({ span }) => keyOf(span))]
    .map(([key, members]) => ({
      key,
      nodes: new Set(members.map(({ span }) => span.instance)).size,
      nodeHours: members.reduce((sum, { ms }) => sum + ms, 0) / HOUR_MS,
      usd: members.reduce((sum, { ms, span }) => sum + ms * span.usdPerHour, 0) / HOUR_MS,
    }))
    .toSorted((a, b) => b.usd - a.usd || compareText(a.key, b.key));
}
