import { SECOND_MS } from '../../apis/formats/time.ts';
import { podKey } from '../../apis/kubernetes.ts';
import { isActiveWorkload, isOwnedByDaemonSet, pendingSinceMs } from '../../core/cluster/pods.ts';
import type { DecisionRecord } from '../../core/decisions/decision-record.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import type { FleetFigures, PendingPods } from '../../page/fleet/frame.ts';
import { workloadOf } from '../../simulator/kubernetes/workloads/simulated-workload.ts';

/** The pods of a recorded cluster: a snapshot has all of them. Those of a new node count as running once it is initialized. */
export interface RecordedPods {
  snapshot(snapshot: ClusterSnapshot, record: Pick<DecisionRecord, 'refusals' | 'atMs'>): void;
  record(record: Pick<DecisionRecord, 'actions'>): void;
  pending(): readonly PendingPods[];
  counts(): Pick<FleetFigures, 'podsRunning' | 'podsPending'>;
}

interface Waiting {
  readonly workload: string;
  readonly since: number;
  readonly reason: string;
}

/** *Units:* times are seconds from `startMs`. */
export function recordedPods(startMs: number): RecordedPods {
  const waiting = new Map<string, Waiting>();
  /** The pods for which a NodeClaim was created. */
  const planned = new Map<string, readonly string[]>();
  let running = 0;
  return {
    snapshot({ pods }, { refusals, atMs }) {
      const own = pods.filter((pod) => isActiveWorkload(pod) && !isOwnedByDaemonSet(pod));
      const pending = own.filter(({ spec }) => spec.nodeName === undefined);
      const reasonOf = (key: string): string =>
        refusals.find(({ kind, names }) => kind === 'Pod' && names.includes(key))?.message ?? '';
      waiting.clear();
      for (const pod of pending) {
        const since = ((pendingSinceMs(pod) ?? atMs) - startMs) / SECOND_MS;
        waiting.set(podKey(pod), {
          workload: workloadOf(pod),
          since: Math.max(0, since),
          reason: reasonOf(podKey(pod)),
        });
      }
      running = own.length - pending.length;
    },
    record({ actions }) {
      for (const { kind, nodeClaims = [], pods = [] } of actions)
        for (const claim of nodeClaims) {
          if (kind === 'create-node-claim') planned.set(claim, pods);
          if (kind !== 'initialize-node') continue;
          running += (planned.get(claim) ?? []).filter((pod) => waiting.delete(pod)).length;
          planned.delete(claim);
        }
    },
    pending: () =>
      [...Map.groupBy(waiting.values(), ({ workload }) => workload)].map(([workload, group]) => ({
        workload,
        count: group.length,
        since: Math.min(...group.map(({ since }) => since)),
        reason: group.find(({ reason }) => reason !== '')?.reason ?? '',
      })),
    counts: () => ({ podsRunning: running, podsPending: waiting.size }),
  };
}
