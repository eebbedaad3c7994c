import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { isOwnedByDaemonSet } from '../../core/cluster/pods.ts';
import { compareText } from '../../core/compare-text.ts';
import type { PendingPods } from '../../page/fleet/frame.ts';
import { workloadOf } from '../../simulator/kubernetes/workloads/simulated-workload.ts';
import type { TimelineEntry } from '../../simulator/timeline.ts';

/** The pending pods by workload, with the last reason of provisioning. Pods of DaemonSets belong to their nodes, and do not count. */
export interface FleetPending {
  note(entry: TimelineEntry): void;
  pod(before: Pod | undefined, after: Pod | undefined, atSeconds: number): void;
  /** *Shape:* undefined if nothing has changed since the last call; those that wait longest first. */
  take(): readonly PendingPods[] | undefined;
}

/** More workloads than these are not sent. */
const MAX_WORKLOADS = 50;

export function fleetPending(): FleetPending {
  const groups = new Map<string, Map<string, number>>();
  const reasons = new Map<string, string>();
  let isChanged = true;
  const remove = (pod: Pod): void => {
    const workload = workloadOf(pod);
    const group = groups.get(workload);
    if (group?.delete(podKey(pod)) !== true) return;
    isChanged = true;
    if (group.size > 0) return;
    groups.delete(workload);
    reasons.delete(workload);
  };
  return {
    note(entry) {
      if (entry.kind !== 'blocked' || entry.controller !== 'provisioning' || entry.workload === undefined) return;
      reasons.set(entry.workload, entry.message);
      isChanged = true;
    },
    pod(before, after, atSeconds) {
      const waits = after !== undefined && isWaiting(after);
      if (!waits && before !== undefined) remove(before);
      if (!waits) return;
      const workload = workloadOf(after);
      const group = groups.get(workload) ?? new Map<string, number>();
      groups.set(workload, group);
      if (group.has(podKey(after))) return;
      group.set(podKey(after), atSeconds);
      isChanged = true;
    },
    take() {
      if (!isChanged) return undefined;
      isChanged = false;
      return [...groups]
        .map(([workload, pods]) => ({
          workload,
          count: pods.size,
          since: Math.min(...pods.values()),
          reason: reasons.get(workload) ?? '',
        }))
        .toSorted((a, b) => a.since - b.since || compareText(a.workload, b.workload))
        .slice(0, MAX_WORKLOADS);
    },
  };
}

/** Until it runs, a pod is pending, as in `kubectl get pods`. */
function isWaiting(pod: Pod): boolean {
  return (pod.status?.phase ?? 'Pending') === 'Pending' && !isOwnedByDaemonSet(pod);
}
