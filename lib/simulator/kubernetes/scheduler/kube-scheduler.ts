import { formatTime } from '../../../apis/formats/time.ts';
import { type Condition, type Pod, podKey } from '../../../apis/kubernetes.ts';
import { optional } from '../../../apis/optional.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Timeline } from '../../timeline.ts';
import { endPodGracefully } from '../simulated-cluster.ts';
import { currentPod, type KubernetesState, writePod } from '../state.ts';
import { workloadOf } from '../workloads/controller-pods.ts';
import { schedulerCache } from './scheduler-cache.ts';
import { choiceFrom } from './scheduler-choice.ts';
import type { SchedulerNode } from './scheduler-node.ts';
import { nominatedPods } from './scheduler-nominations.ts';
import { byTurn, type QueuedPod } from './scheduler-pod-kind.ts';
import { PREEMPTED, type Preemption, preemptionFor } from './scheduler-preemption.ts';
import { simulatedPodVolumes } from './scheduler-volumes.ts';

/** A simulated kube-scheduler: it binds pods, marks the others as unschedulable, and sends an event that wakes Kerf. */
export interface KubeScheduler {
  pass(): void;
}

export interface SchedulerOptions {
  /** Whether it does not run now. @default it runs */
  readonly isDown?: () => boolean;
  /** Gets an entry for each pod that is deleted for a pod of higher priority. @default none */
  readonly timeline?: Pick<Timeline, 'note'>;
}

interface Scheduling extends SchedulerOptions {
  readonly state: KubernetesState;
  readonly clock: Clock;
}

export function kubeScheduler(state: KubernetesState, clock: Clock, options: SchedulerOptions = {}): KubeScheduler {
  const scheduling = { ...options, state, clock };
  const cache = schedulerCache(state);
  const nominations = nominatedPods();
  const choice = choiceFrom(cache, nominations);
  let versionSeen: number | undefined;
  let membershipSeen = cache.membership();
  /** *Shape:* whether the pod is bound. */
  const schedule = (queued: QueuedPod): boolean => {
    const { pod, kind } = queued;
    const volumes = simulatedPodVolumes(state, pod);
    if (volumes === undefined && choice.hasFailed(kind)) {
      nominate(scheduling, pod, { preemption: { kind: 'waits' }, message: undefined });
      return false;
    }
    const node = choice.choose(queued, volumes);
    const { nominatedNodeName } = pod.status ?? {};
    if (node !== undefined) {
      volumes?.bind(node);
      cache.bound(bind(scheduling, pod, node), { kind, node });
      if (nominatedNodeName !== undefined) nominations.remove(nominatedNodeName, queued);
      return true;
    }
    const preemption = preemptionFor({ state, cache, nominations, clock }, queued, volumes);
    if (preemption.kind !== 'waits' && nominatedNodeName !== undefined) nominations.remove(nominatedNodeName, queued);
    if (preemption.kind === 'victims') {
      nominations.add(preemption.node.name, queued);
      preempt(scheduling, queued, preemption);
    } else if (volumes === undefined) choice.failed(kind);
    nominate(scheduling, pod, { preemption, message: volumes?.refusal });
    return false;
  };
  return {
    pass() {
      const version = state.version + state.storage.version;
      if (version === versionSeen || options.isDown?.() === true) return;
      const waiting = cache.refresh();
      nominations.read(waiting);
      const hasOtherNodes = cache.membership() !== membershipSeen;
      let sendsEvent = false;
      for (const queued of waiting.toSorted(byTurn)) {
        const wasMarked = isMarked(queued.pod);
        if (!schedule(queued) && (!wasMarked || hasOtherNodes)) sendsEvent = true;
      }
      membershipSeen = cache.membership();
      versionSeen = state.version + state.storage.version;
      if (sendsEvent) state.onReview({ resource: 'events', name: 'failed-scheduling' });
    },
  };
}

function bind({ state, clock }: Scheduling, pod: Pod, node: SchedulerNode): Pod {
  const condition = { type: 'PodScheduled', status: 'True' as const, lastTransitionTime: formatTime(clock.now()) };
  const { nominatedNodeName: _, ...status } = pod.status ?? {};
  const bound: Pod = {
    ...pod,
    spec: { ...pod.spec, nodeName: node.name },
    status: { ...status, phase: 'Pending', conditions: [condition] },
  };
  writePod(state, bound);
  return bound;
}

/** Deletes the victims with their grace period. */
function preempt(
  { state, clock, timeline }: Scheduling,
  { pod }: QueuedPod,
  { victims, node }: Preemption & { readonly kind: 'victims' },
): void {
  for (const { pod: victim } of victims) {
    const { name, namespace = 'default', uid = '' } = victim.metadata;
    const current = currentPod(state, { name, namespace, uid });
    if (current === undefined || current.metadata.deletionTimestamp !== undefined) continue;
    const condition: Condition = { ...PREEMPTED, status: 'True', lastTransitionTime: formatTime(clock.now()) };
    const conditions = [...(current.status?.conditions ?? []), condition];
    endPodGracefully(state, { ...current, status: { ...current.status, conditions } }, clock);
    const entry = { pod: podKey(victim), workload: workloadOf(victim), node: node.name, by: podKey(pod) };
    timeline?.note({ kind: 'pod-preempted', ...entry });
  }
}

function isMarked({ status }: Pod): boolean {
  return status?.conditions?.some((condition) => condition.reason === 'Unschedulable') === true;
}

/** Marks the pod as unschedulable, with the node on which it waits for pods that end. */
function nominate(
  { state, clock }: Scheduling,
  pod: Pod,
  { preemption, message }: { readonly preemption: Preemption; readonly message: string | undefined },
): void {
  const before = pod.status?.nominatedNodeName;
  const nominatedNodeName = preemption.kind === 'victims' ? preemption.node.name : undefined;
  const keeps = preemption.kind === 'waits' || nominatedNodeName === before;
  if (isMarked(pod) && keeps) return;
  const condition = {
    type: 'PodScheduled',
    status: 'False' as const,
    reason: 'Unschedulable',
    ...optional({ message }),
    lastTransitionTime: formatTime(clock.now()),
  };
  const { nominatedNodeName: _, ...status } = pod.status ?? {};
  const nominated = keeps ? before : nominatedNodeName;
  const conditions = [condition];
  writePod(state, {
    ...pod,
    status: { ...status, phase: 'Pending', conditions, ...optional({ nominatedNodeName: nominated }) },
  });
}
