import { HOUR_MS, MINUTE_MS } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import type { DecidedOn } from '../../core/decisions/decided-on.ts';
import { lookAtUsage } from '../../core/usage/look-at-usage.ts';
import { launchesIn, mergedLaunches, type SeenLaunch } from '../../core/usage/seen-launches.ts';
import { type UsageBook, usageHour, withLook } from '../../core/usage/usage-book.ts';
import { hourOf, type UsageHour } from '../../core/usage/usage-hour.ts';
import type { RunReport } from '../run/ports.ts';

/** The pause between two looks, and between two writes of one hour. */
const LOOK_PAUSE_MS = 5 * MINUTE_MS;
const WRITE_PAUSE_MS = 30 * MINUTE_MS;
/** If nodes came or went: the picture of the fleet shows what was written last. */
const CHANGED_PAUSE_MS = 10 * MINUTE_MS;

/** A run after which usage may have to be written. */
export interface UsedRun {
  readonly report: Pick<RunReport, 'cluster' | 'decided'>;
  readonly atMs: number;
  /** The labels of pods by which usage is kept. @default none */
  readonly usageLabels?: readonly string[] | undefined;
  /** @default false */
  readonly shadow?: boolean | undefined;
}

/** What to write now. */
export interface DueUsage {
  /** The hour that has ended, if its last looks are not written. */
  readonly ended?: UsageHour;
  /** The hour of the run, with what its last look has seen. */
  readonly current?: { readonly hour: UsageHour; readonly decided: DecidedOn };
}

interface Seen {
  readonly book: UsageBook;
  readonly writtenMs: number | undefined;
  /** The names of the nodes that were written last. */
  readonly writtenNodes: string;
  /** Whether the last look is written. */
  readonly isWritten: boolean;
  /** The stored snapshot of the hour. */
  readonly snapshot?: string;
}

/** The looks of one process. Disruption looks at all pods and nodes each minute, as long as there are nodes. */
export interface UsageHours {
  /**
   * *Cost:* a look each five minutes; a write each half hour, or each ten minutes if nodes come and go. In shadow, launches are looked for in
   * each run.
   */
  due(run: UsedRun): DueUsage;
  /** The snapshot of the current hour is stored there. */
  archived(cluster: string, snapshot: string): void;
}

export function usageHours(): UsageHours {
  const clusters = new Map<string, Seen>();
  const launched = new Map<string, readonly SeenLaunch[]>();
  return {
    due({ report: { cluster, decided = [] }, atMs, usageLabels = [], shadow = false }) {
      const last = decided.findLast(({ controller }) => controller === 'disruption');
      if (last !== undefined && shadow) launched.set(cluster, withLaunches(launched.get(cluster) ?? [], last, atMs));
      const launches = launched.get(cluster);
      const before = clusters.get(cluster);
      if (last === undefined || (before !== undefined && atMs - before.book.atMs < LOOK_PAUSE_MS)) return {};
      const hourMs = hourOf(atMs);
      const same = before?.book.hourMs === hourMs ? before : undefined;
      const book = withLook(same?.book, lookAtUsage(last.snapshot, usageLabels), { hourMs, atMs });
      const ended = same === undefined && before?.isWritten === false ? hourAt(cluster, before, launches) : undefined;
      const writtenMs = ended === undefined ? before?.writtenMs : atMs;
      const names = book.nodes
        .slice(0, book.nodesNow)
        .map(({ name }) => name)
        .join(' ');
      const pauseMs = before?.writtenNodes === names ? WRITE_PAUSE_MS : CHANGED_PAUSE_MS;
      const isWritten = isDue(book, { same, writtenMs, pauseMs });
      // An hour without nodes costs nothing.
      const isKept = isWritten || book.nodes.length === 0 || (book.nodesNow === 0 && same?.isWritten === true);
      const seen = { book, isWritten: isKept, ...optional({ snapshot: same?.snapshot }) };
      const written = isWritten ? names : (before?.writtenNodes ?? '');
      clusters.set(cluster, { ...seen, writtenMs: isWritten ? atMs : writtenMs, writtenNodes: written });
      return {
        ...optional({ ended }),
        ...(isWritten && { current: { hour: hourAt(cluster, seen, launches), decided: last } }),
      };
    },
    archived(cluster, snapshot) {
      const seen = clusters.get(cluster);
      if (seen !== undefined) clusters.set(cluster, { ...seen, snapshot });
    },
  };
}

/** When the last node is gone, the next look may be far away. */
function isDue(
  { atMs, nodes, nodesNow }: UsageBook,
  {
    same,
    writtenMs,
    pauseMs,
  }: { readonly same: Seen | undefined; readonly writtenMs: number | undefined; readonly pauseMs: number },
): boolean {
  if (nodesNow === 0) return nodes.length > 0 && same?.isWritten === false;
  return writtenMs === undefined || atMs - writtenMs >= pauseMs;
}

/** The launches of at least an hour, so that those after the last write of an hour are in the next one. */
function withLaunches(
  before: readonly SeenLaunch[],
  { snapshot }: Pick<DecidedOn, 'snapshot'>,
  atMs: number,
): readonly SeenLaunch[] {
  const sinceMs = hourOf(atMs) - HOUR_MS;
  const recent = before.filter(({ createdAtMs }) => createdAtMs >= sinceMs);
  return mergedLaunches(recent, launchesIn(snapshot, sinceMs));
}

function hourAt(
  cluster: string,
  { book, snapshot }: Pick<Seen, 'book' | 'snapshot'>,
  launches: readonly SeenLaunch[] | undefined,
): UsageHour {
  return { ...usageHour(cluster, book), ...optional({ snapshot, launches }) };
}
