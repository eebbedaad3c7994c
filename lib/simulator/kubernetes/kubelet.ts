import { formatTime, parseTime } from '../../apis/formats/time.ts';
import { conditionStatus, type Pod, podKey } from '../../apis/kubernetes.ts';
import { isTerminating } from '../../core/cluster/pods.ts';
import { isNodeReady } from '../../core/cluster/state-node.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import type { Timetable } from '../timetable.ts';
import { currentPod, type KubernetesState, removePod, writePod } from './state.ts';
import { workloadOf } from './workloads/workloads.ts';

/** The time for a pod to start, and for a terminating pod to end. */
const START_MS = [1_000, 3_000] as const;
const END_MS = [500, 1_500] as const;

/** The kubelets of all nodes: they start bound pods and end terminating pods. */
export interface Kubelets {
  reconcile(): void;
}

interface KubeletWorld {
  readonly state: KubernetesState;
  readonly timetable: Timetable;
  readonly random: Random;
  readonly timeline: Timeline;
  /** @default pods end soon */
  readonly faults?: { readonly isPodSlow: () => boolean };
  /** Whether the kubelet of a node does nothing. @default all kubelets run */
  readonly isSilent?: (node: string) => boolean;
}

export function kubelets(world: KubeletWorld): Kubelets {
  const { state, timetable, random } = world;
  const starting = new Set<string>();
  /** The deletion timestamps of pods that end, and whether they take their whole grace period. */
  const ending = new Map<string, { readonly until: string; readonly isSlow: boolean }>();
  const beginEnd = (pod: Pod, uid: string): void => {
    const until = pod.metadata.deletionTimestamp ?? '';
    const known = ending.get(uid);
    if (known?.until === until || known?.isSlow === false) return;
    const isSlow = known?.isSlow ?? world.faults?.isPodSlow() === true;
    ending.set(uid, { until, isSlow });
    const leftMs = Math.max(parseTime(until) - timetable.now(), 0);
    timetable.after(isSlow ? leftMs : Math.min(leftMs, random.between(...END_MS)), () => {
      if (world.isSilent?.(pod.spec.nodeName ?? '') === true) ending.delete(uid);
      else end(world, pod);
    });
  };
  return {
    reconcile() {
      for (const pod of state.pods.values()) {
        const uid = pod.metadata.uid ?? '';
        const node = state.nodes.get(pod.spec.nodeName ?? '');
        if (node === undefined || world.isSilent?.(node.metadata.name) === true) continue;
        if (isTerminating(pod)) beginEnd(pod, uid);
        else if (pod.status?.phase === 'Pending' && isNodeReady(node) && !starting.has(uid)) {
          starting.add(uid);
          timetable.after(random.between(...START_MS), () => {
            // The kubelet has stopped: it starts the pod when it runs again.
            if (world.isSilent?.(node.metadata.name) === true) starting.delete(uid);
            else start(world, pod);
          });
        }
      }
    },
  };
}

function start({ state, timetable, timeline }: KubeletWorld, pod: Pod): void {
  const now = currentPod(state, targetOf(pod));
  if (now === undefined || isTerminating(now)) return;
  const lastTransitionTime = formatTime(timetable.now());
  const ready = { type: 'Ready', status: 'True' as const, lastTransitionTime };
  const conditions = [...(now.status?.conditions ?? []).filter((condition) => condition.type !== 'Ready'), ready];
  writePod(state, { ...now, status: { ...now.status, phase: 'Running', startTime: lastTransitionTime, conditions } });
  timeline.note({ kind: 'pod-running', pod: podKey(pod), workload: workloadOf(pod), node: now.spec.nodeName ?? '' });
}

/** Whether the kubelet of the pod has stopped, so that the pod does not end before its node is deleted. */
function isLost({ nodes }: KubernetesState, { spec }: Pod): boolean {
  const node = nodes.get(spec.nodeName ?? '');
  return (
    node !== undefined && node.metadata.deletionTimestamp === undefined && conditionStatus(node, 'Ready') === 'Unknown'
  );
}

function end({ state, timeline }: KubeletWorld, pod: Pod): void {
  const now = currentPod(state, targetOf(pod));
  if (now === undefined || isLost(state, now)) return;
  removePod(state, now);
  timeline.note({ kind: 'pod-ended', pod: podKey(pod), workload: workloadOf(pod), node: now.spec.nodeName ?? '' });
}

function targetOf(pod: Pod): { readonly namespace: string; readonly name: string; readonly uid: string } {
  return { namespace: pod.metadata.namespace ?? 'default', name: pod.metadata.name, uid: pod.metadata.uid ?? '' };
}
