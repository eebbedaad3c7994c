import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { compareText } from '../../core/compare-text.ts';
import type { TimelineEntry } from '../timeline.ts';

/** Times from the creation of a pod to its start. *Units:* seconds, with one decimal. */
export interface WaitStatistics {
  readonly pods: number;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

export interface WaitReport extends WaitStatistics {
  /** The longest waits first, then by name. */
  readonly byWorkload: readonly (WaitStatistics & { readonly workload: string })[];
}

/** Collects the waits of pods. Pods of DaemonSets do not count: they start with their node. */
export interface WaitMeter {
  note(entry: TimelineEntry): void;
  /** Forgets a pod that was deleted before it started. */
  forget(pod: Pod): void;
  /** Since when a pod has been pending, in seconds from the start. */
  pendingSince(pod: string): number | undefined;
  /** The last NodeClaim that was created for a pending pod. */
  nodeClaimOf(pod: string): string | undefined;
  report(): WaitReport;
}

/** The number of waits of each length, in tenths of a second. */
type Histogram = Map<number, number>;

export function waitMeter(): WaitMeter {
  const since = new Map<string, number>();
  const claims = new Map<string, string>();
  const byWorkload = new Map<string, Histogram>();
  const forget = (pod: string): void => {
    since.delete(pod);
    claims.delete(pod);
  };
  return {
    note(entry) {
      if (entry.kind === 'pod-pending') since.set(entry.pod, entry.at);
      if (entry.kind === 'create-node-claim') {
        for (const pod of entry.pods) if (since.has(pod)) claims.set(pod, entry.nodeClaim);
      }
      if (entry.kind !== 'pod-running') return;
      const tenths = Math.round((entry.at - (since.get(entry.pod) ?? entry.at)) * 10);
      forget(entry.pod);
      if (isDaemon(entry.workload)) return;
      const waits = byWorkload.get(entry.workload) ?? new Map<number, number>();
      byWorkload.set(entry.workload, waits);
      waits.set(tenths, (waits.get(tenths) ?? 0) + 1);
    },
    forget: (pod) => forget(podKey(pod)),
    pendingSince: (pod) => since.get(pod),
    nodeClaimOf: (pod) => claims.get(pod),
    report: () => ({
      ...statistics([...byWorkload.values()]),
      byWorkload: [...byWorkload]
        .map(([workload, waits]) => ({ workload, ...statistics([waits]) }))
        .toSorted((a, b) => b.max - a.max || b.pods - a.pods || compareText(a.workload, b.workload)),
    }),
  };
}

/** Whether a workload, as `DaemonSet kube-system/agent`, is a DaemonSet. */
export function isDaemon(workload = ''): boolean {
  return workload.startsWith('DaemonSet ');
}

function statistics(histograms: readonly Histogram[]): WaitStatistics {
  const counts = new Map<number, number>();
  for (const one of histograms) for (const [wait, pods] of one) counts.set(wait, (counts.get(wait) ?? 0) + pods);
  const sorted = [...counts].toSorted(([a], [b]) => a - b);
  const pods = sorted.reduce((sum, [, count]) => sum + count, 0);
  const at = (share: number): number => {
    let left = Math.max(1, Math.ceil(pods * share));
    const found = sorted.find(([, count]) => {
      left -= count;
      return left <= 0;
    });
    return (found?.[0] ?? 0) / 10;
  };
  return { pods, median: at(0.5), p95: at(0.95), max: at(1) };
}
