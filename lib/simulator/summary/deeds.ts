import { compareText } from '../../core/compare-text.ts';
import type { TimelineEntry } from '../timeline.ts';
import { isDaemon } from './waits.ts';

/** Numbers by name, in the order of the names. */
export type Counts = Readonly<Record<string, number>>;

export interface DeedReport {
  /** The number of actions by kind; deletions also by reason. */
  readonly actions: Counts;
  /** NodeClaims that Kerf deleted, by the reason of the deletion. */
  readonly removedByReason: Counts;
  /** Pods that Kerf evicted, by the reason for which their NodeClaim is deleted. Pods of DaemonSets do not count. */
  readonly evictedByReason: Counts;
  /** CreateFleet calls that found no capacity. */
  readonly launchesRefused: number;
}

/** Counts what Kerf did. */
export interface DeedMeter {
  note(entry: TimelineEntry): void;
  report(): DeedReport;
}

export function deedMeter(): DeedMeter {
  const [actions, removed, evicted] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  /** The reasons of the deletions that are not complete. */
  const reasonOf = new Map<string, string>();
  let launchesRefused = 0;
  return {
    note(entry) {
      if (entry.kind === 'launch-refused') launchesRefused += 1;
      if (!('decision' in entry)) return;
      count(actions, entry.kind === 'delete-node-claim' ? `delete-node-claim (${entry.reason})` : entry.kind);
      if (entry.kind === 'delete-node-claim' && !reasonOf.has(entry.nodeClaim)) {
        reasonOf.set(entry.nodeClaim, entry.reason);
        count(removed, entry.reason);
      }
      if (entry.kind === 'evict-pod' && !isDaemon(entry.workload))
        count(evicted, reasonOf.get(entry.nodeClaim) ?? 'deleted');
      if (entry.kind === 'release-node-claim') reasonOf.delete(entry.nodeClaim);
    },
    report: () => ({
      actions: byName(actions),
      removedByReason: byName(removed),
      evictedByReason: byName(evicted),
      launchesRefused,
    }),
  };
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function byName(counts: ReadonlyMap<string, number>): Counts {
  return Object.fromEntries([...counts].toSorted(([a], [b]) => compareText(a, b)));
}
