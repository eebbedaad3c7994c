import { compareText } from '../../core/compare-text.ts';
import type { EndDisruption } from '../../core/model/decision.ts';
import type { DisruptionCommand } from '../../core/model/disruption-command.ts';
import { toMicros } from '../../core/usd-per-hour.ts';
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
  readonly disruption: DisruptionDeeds;
  /** CreateFleet calls that found no capacity. */
  readonly launchesRefused: number;
}

/** What disruption commands did. */
export interface DisruptionDeeds {
  readonly commandsExecuted: number;
  /** Commands that were no longer valid, or whose replacements failed. */
  readonly commandsRejected: number;
  /** Nodes that were deleted by commands with replacements. */
  readonly nodesReplaced: number;
  readonly replacements: number;
  /** The sum over executed commands: the prices of the nodes that they deleted less those of their replacements. */
  readonly savedUsdPerHour: number;
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
  const disruption = disruptionMeter();
  let launchesRefused = 0;
  return {
    note(entry) {
      if (entry.kind === 'launch-refused') launchesRefused += 1;
      disruption.note(entry);
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
      disruption: disruption.report(),
      launchesRefused,
    }),
  };
}

interface DisruptionMeter {
  note(entry: TimelineEntry): void;
  report(): DisruptionDeeds;
}

function disruptionMeter(): DisruptionMeter {
  /** The commands that have not ended. */
  const started = new Map<string, DisruptionCommand>();
  const executed: { readonly command: DisruptionCommand; readonly end: EndDisruption }[] = [];
  let commandsRejected = 0;
  return {
    note(entry) {
      if (entry.kind === 'start-disruption') started.set(entry.command.id, entry.command);
      if (entry.kind !== 'end-disruption') return;
      const command = started.get(entry.command);
      started.delete(entry.command);
      if (entry.outcome === 'rejected') commandsRejected += 1;
      else if (command !== undefined) executed.push({ command, end: entry });
    },
    report() {
      const replacing = executed.filter(({ command }) => command.replacements.length > 0);
      return {
        commandsExecuted: executed.length,
        commandsRejected,
        nodesReplaced: replacing.reduce((sum, { end }) => sum + (end.deletes?.length ?? 0), 0),
        replacements: replacing.reduce((sum, { command }) => sum + command.replacements.length, 0),
        savedUsdPerHour: toMicros(executed.reduce((sum, { end }) => sum + (end.savingUsdPerHour ?? 0), 0)),
      };
    },
  };
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function byName(counts: ReadonlyMap<string, number>): Counts {
  return Object.fromEntries([...counts].toSorted(([a], [b]) => compareText(a, b)));
}
