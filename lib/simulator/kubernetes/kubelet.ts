import { formatTime, parseTime } from '../../apis/formats/time.ts';
import { conditionStatus, type Pod, podKey } from '../../apis/kubernetes.ts';
import { isTerminating } from '../../core/cluster/pods.ts';
import { isNodeReady } from '../../core/cluster/state-node.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import type { Timetable } from '../timetable.ts';
import { currentPod, type KubernetesState, removePod, writePod } from './state.ts';
import { runTimeOf } from './workloads/run-time.ts';
import { workloadOf } from './workloads/simulated-workload.ts';

/** The time for a pod to start, and for a terminating pod to end. */
const START_MS = [1_000, 3_000] as const;
const END_MS = [500, 1_500] as const;
/** How often a kubelet that has stopped tries to report. */
const REPORT_MS = 10_000;

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
  const changes = state.podIndex.follow();
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
      if (world.isSilent?.(pod.spec.nodeName ?? '') === true || end(world, pod)) ending.delete(uid);
    });
  };
  return {
    reconcile() {
      for (const pod of changes().pods) {
        const uid = pod.metadata.uid ?? '';
        const node = state.nodes.get(pod.spec.nodeName ?? '');
        if (node === undefined || world.isSilent?.(node.metadata.name) === true) continue;
        if (isTerminating(pod)) beginEnd(pod, uid);
        else if (pod.status?.phase === 'Pending' && isNodeReady(node) && !starting.has(uid)) {
          starting.add(uid);
          timetable.after(random.between(...START_MS), () => {
            starting.delete(uid);
            // A kubelet that has stopped starts the pod when it runs again.
            if (world.isSilent?.(node.metadata.name) !== true) start(world, pod);
          });
        }
      }
    },
  };
}

function start(world: KubeletWorld, pod: Pod): void {
  const { state, timetable, timeline } = world;
  const now = currentPod(state, targetOf(pod));
  if (now === undefined || isTerminating(now)) return;
  const lastTransitionTime = formatTime(timetable.now());
  const ready = { type: 'Ready', status: 'True' as const, lastTransitionTime };
  const conditions = [...(now.status?.conditions ?? []).filter((condition) => condition.type !== 'Ready'), ready];
  writePod(state, { ...now, status: { ...now.status, phase: 'Running', startTime: lastTransitionTime, conditions } });
  timeline.note({ kind: 'pod-running', pod: podKey(pod), workload: workloadOf(pod), node: now.spec.nodeName ?? '' });
  const runMs = runTimeOf(pod);
  if (runMs !== undefined) timetable.after(runMs, () => complete(world, pod));
}

/** Ends a pod whose containers have succeeded. A kubelet that has stopped reports it when it is back. */
function complete(world: KubeletWorld, pod: Pod): void {
  const { state, timetable, timeline } = world;
  const now = currentPod(state, targetOf(pod));
  if (now === undefined || isTerminating(now)) return;
  const isStopped = isLost(state, now) || world.isSilent?.(now.spec.nodeName ?? '') === true;
  if (isStopped) return void timetable.after(REPORT_MS, () => complete(world, pod));
  const lastTransitionTime = formatTime(timetable.now());
  const conditions = (now.status?.conditions ?? []).map((condition) =>
    condition.type === 'Ready'
      ? { ...condition, status: 'False' as const, reason: 'PodCompleted', lastTransitionTime }
      : condition,
  );
  writePod(state, { ...now, status: { ...now.status, phase: 'Succeeded', conditions } });
  timeline.note({ kind: 'pod-completed', pod: podKey(pod), workload: workloadOf(pod), node: now.spec.nodeName ?? '' });
}

/** Whether the kubelet of the pod has stopped, so that the pod does not end before its node is deleted. */
function isLost({ nodes }: KubernetesState, { spec }: Pod): boolean {
  const node = nodes.get(spec.nodeName ?? '');
  return (
    node !== undefined && node.metadata.deletionTimestamp === undefined && conditionStatus(node, 'Ready') === 'Unknown'
  );
}

/** *Shape:* false if the kubelet has stopped, so that the pod stays. */
function end({ state, timeline }: KubeletWorld, pod: Pod): boolean {
  const now = currentPod(state, targetOf(pod));
  if (now === undefined) return true;
  if (isLost(state, now)) return false;
  removePod(state, now);
  timeline.note({ kind: 'pod-ended', pod: podKey(pod), workload: workloadOf(pod), node: now.spec.nodeName ?? '' });
  return true;
}

function targetOf(pod: Pod): { readonly namespace: string; readonly name: string; readonly uid: string } {
  return { namespace: pod.metadata.namespace ?? 'default', name: pod.metadata.name, uid: pod.metadata.uid ?? '' };
}
