/** What another autoscaler ran and paid, and what Kerf would have run and paid for the same pods. */
import { formatTime, HOUR_MS } from '../../apis/formats/time.ts';
import { describeAction } from '../../core/decisions/action-words.ts';
import { type DecisionRecord, type RecordedAction, shortId } from '../../core/decisions/decision-record.ts';
import { mergedLaunches, type SeenLaunch } from '../../core/usage/seen-launches.ts';
import { type ComparedLaunch, compareLaunches } from './compare-launches.ts';

/** A node that was seen. */
export interface SeenNode {
  readonly nodeClaim: string;
  readonly node: string;
  readonly createdAtMs: number;
  readonly instanceType: string;
  readonly capacityType: string;
  readonly usdPerHour: number;
}

/** One look at the cluster, once an hour. */
export interface ComparedHour {
  readonly atMs: number;
  readonly nodes: readonly SeenNode[];
  readonly usdPerHour: number;
  /** What was launched since the look before. */
  readonly launches: readonly SeenLaunch[];
  /** After everything that Kerf would remove or replace, with these pods. */
  readonly planned: { readonly nodes: number; readonly usdPerHour: number; readonly evictions: number };
}

/** Nodes and cost, averages of the looks. */
interface Side {
  readonly nodes: number;
  readonly usdPerHour: number;
}

export interface ComparedDecision {
  /** The end of the id of the record. */
  readonly id: string;
  readonly atMs: number;
  readonly kerf: string;
  /** What the other autoscaler did. */
  readonly other: string;
  readonly kerfUsdPerHour?: number;
  readonly otherUsdPerHour?: number;
}

export interface ShadowReport {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly hours: readonly ComparedHour[];
  readonly other: Side;
  readonly kerf: Side;
  /** Of days, UTC. */
  readonly days: readonly { readonly day: string; readonly hours: number; readonly other: Side; readonly kerf: Side }[];
  /** By the pods that they were for. */
  readonly launches: readonly ComparedLaunch[];
  /** Decisions of disruption in which the two differ. */
  readonly decisions: readonly ComparedDecision[];
  /** The number of those in which they do the same, within a percent. */
  readonly same: number;
}

/** What is stored of the period. */
export interface ShadowHistory {
  readonly hours: readonly ComparedHour[];
  /** Launches that only a look between two hours has seen, too. */
  readonly launches: readonly SeenLaunch[];
  /** Those of decisions in shadow, oldest first. */
  readonly records: readonly DecisionRecord[];
}

export function shadowReport(
  { hours, launches, records }: ShadowHistory,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): ShadowReport {
  const seen = seenNodes(hours);
  const all = hours.reduce((before, hour) => mergedLaunches(before, hour.launches), launches);
  const launched = all.filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs <= untilMs);
  const compared = records.flatMap((record) => comparedIn(record, seen));
  const decisions = compared.filter(isDifferent);
  const byDay = Map.groupBy(hours, ({ atMs }) => formatTime(atMs).slice(0, 10));
  return {
    fromMs,
    untilMs,
    hours,
    ...sidesOf(hours),
    days: [...byDay].map(([day, those]) => ({ day, hours: those.length, ...sidesOf(those) })),
    launches: compareLaunches(launched, records),
    decisions,
    same: compared.length - decisions.length,
  };
}

function sidesOf(hours: readonly ComparedHour[]): { readonly other: Side; readonly kerf: Side } {
  const mean = (of: (hour: ComparedHour) => number): number =>
    hours.length === 0 ? 0 : hours.reduce((sum, hour) => sum + of(hour), 0) / hours.length;
  return {
    other: { nodes: mean(({ nodes }) => nodes.length), usdPerHour: mean(({ usdPerHour }) => usdPerHour) },
    kerf: { nodes: mean(({ planned }) => planned.nodes), usdPerHour: mean(({ planned }) => planned.usdPerHour) },
  };
}

interface Seen extends SeenNode {
  readonly lastSeenMs: number;
  /** Whether a later look no longer has it. */
  readonly isGone: boolean;
}

function seenNodes(hours: readonly ComparedHour[]): ReadonlyMap<string, Seen> {
  const seen = new Map<string, Seen>();
  const last = hours.at(-1);
  for (const { atMs, nodes } of hours)
    for (const node of nodes) seen.set(node.nodeClaim, { ...node, lastSeenMs: atMs, isGone: atMs !== last?.atMs });
  return seen;
}

function comparedIn(record: DecisionRecord, seen: ReadonlyMap<string, Seen>): readonly ComparedDecision[] {
  const { atMs, actions } = record;
  const disrupted = actions.filter(({ kind }) => kind === 'start-disruption');
  const head = { id: shortId(record), atMs };
  return disrupted.map((action) => ({ ...head, ...disruptionOf(action, atMs, seen) }));
}

type Sides = Omit<ComparedDecision, 'id' | 'atMs'>;

function disruptionOf(action: RecordedAction, atMs: number, seen: ReadonlyMap<string, Seen>): Sides {
  const { nodeClaims = [], savingUsdPerHour } = action;
  const nodes = nodeClaims.flatMap((name) => seen.get(name) ?? []);
  const kept = nodes.filter(({ lastSeenMs }) => lastSeenMs >= atMs + HOUR_MS);
  const last = Math.max(0, ...nodes.map(({ lastSeenMs }) => lastSeenMs));
  const until = nodes.some(({ isGone }) => !isGone) ? 'to the end' : `until ${formatTime(last)}`;
  const other =
    kept.length === 0 ? 'removed them within two hours' : `kept ${kept.length} of ${nodeClaims.length} ${until}`;
  const saving = savingUsdPerHour === undefined ? {} : { kerfUsdPerHour: -savingUsdPerHour };
  return { kerf: describeAction(action), other, ...saving, ...(kept.length === 0 ? saving0(savingUsdPerHour) : {}) };
}

function saving0(savingUsdPerHour: number | undefined): { readonly otherUsdPerHour?: number } {
  return savingUsdPerHour === undefined ? {} : { otherUsdPerHour: -savingUsdPerHour };
}

const SAME_SHARE = 0.01;

function isDifferent({ kerfUsdPerHour, otherUsdPerHour }: ComparedDecision): boolean {
  if (kerfUsdPerHour === undefined || otherUsdPerHour === undefined) return true;
  return Math.abs(kerfUsdPerHour - otherUsdPerHour) > Math.abs(kerfUsdPerHour) * SAME_SHARE;
}
