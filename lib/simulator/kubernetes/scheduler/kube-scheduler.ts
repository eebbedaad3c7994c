import { formatTime } from '../../../apis/formats/time.ts';
import type { Pod } from '../../../apis/kubernetes.ts';
import type { Clock } from '../../../ports/clock.ts';
import { type KubernetesState, writePod } from '../state.ts';
import { schedulerCache } from './scheduler-cache.ts';
import { chooseFrom } from './scheduler-choice.ts';
import { byTurn } from './scheduler-pod-kind.ts';

/** A simulated kube-scheduler: it binds pods, marks the others as unschedulable, and sends an event that wakes Kerf. */
export interface KubeScheduler {
  pass(): void;
}

/** `isDown`: whether it does not run now. */
export function kubeScheduler(
  state: KubernetesState,
  clock: Clock,
  isDown: () => boolean = () => false,
): KubeScheduler {
  const cache = schedulerCache(state);
  const choose = chooseFrom(cache);
  let versionSeen: number | undefined;
  let membershipSeen = cache.membership();
  return {
    pass() {
      if (state.version === versionSeen || isDown()) return;
      const waiting = cache.refresh();
      const hasOtherNodes = cache.membership() !== membershipSeen;
      let sendsEvent = false;
      for (const { pod, kind } of waiting.toSorted(byTurn)) {
        const node = choose(kind);
        if (node !== undefined) cache.bound(bind(state, pod, { node: node.name, clock }), { kind, node });
        else if (markUnschedulable(state, pod, clock) || hasOtherNodes) sendsEvent = true;
      }
      membershipSeen = cache.membership();
      versionSeen = state.version;
      if (sendsEvent) state.onReview({ resource: 'events', name: 'failed-scheduling' });
    },
  };
}

function bind(
  state: KubernetesState,
  pod: Pod,
  { node, clock }: { readonly node: string; readonly clock: Clock },
): Pod {
  const condition = { type: 'PodScheduled', status: 'True' as const, lastTransitionTime: formatTime(clock.now()) };
  const bound: Pod = {
    ...pod,
    spec: { ...pod.spec, nodeName: node },
    status: { ...pod.status, phase: 'Pending', conditions: [condition] },
  };
  writePod(state, bound);
  return bound;
}

/** Marks the pod as unschedulable. *Shape:* whether it was not marked before. */
function markUnschedulable(state: KubernetesState, pod: Pod, clock: Clock): boolean {
  if (pod.status?.conditions?.some((condition) => condition.reason === 'Unschedulable') === true) return false;
  const condition = {
    type: 'PodScheduled',
    status: 'False' as const,
    reason: 'Unschedulable',
    lastTransitionTime: formatTime(clock.now()),
  };
  writePod(state, { ...pod, status: { ...pod.status, phase: 'Pending', conditions: [condition] } });
  return true;
}
