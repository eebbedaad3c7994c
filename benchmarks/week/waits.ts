import type { TimelineEntry } from '../../lib/simulator/timeline.ts';

/** The times from the creation of pods to their start. *Units:* seconds. */
export interface Waits {
  readonly pods: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Collects the waits of pods, without those of DaemonSets. */
export function waitsMeter(): { note(entry: TimelineEntry): void; report(): Waits } {
  const since = new Map<string, number>();
  const waits: number[] = [];
  return {
    note(entry) {
      if (entry.kind === 'pod-pending') since.set(entry.pod, entry.at);
      if (entry.kind !== 'pod-running') return;
      const from = since.get(entry.pod);
      since.delete(entry.pod);
      if (from !== undefined && !entry.workload.startsWith('DaemonSet ')) waits.push(entry.at - from);
    },
    report() {
      const sorted = waits.toSorted((a, b) => a - b);
      const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      return { pods: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
    },
  };
}
