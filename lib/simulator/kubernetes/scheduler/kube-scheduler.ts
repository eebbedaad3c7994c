import { formatTime } from '../../../apis/formats/time.ts';
import { type Condition, type Pod, podKey } from '../../../apis/kubernetes.ts';
import { optional } from '../../../apis/optional.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Timeline } from '../../timeline.ts';
import { withNomination } from '../nominated-pod.ts';
import { endPodGracefully } from '../simulated-cluster.ts';
import { currentPod, type KubernetesState, writePod } from '../state.ts';
import { workloadOf } from '../workloads/simulated-workload.ts';
import { type SchedulerCache, schedulerCache } from './scheduler-cache.ts';
import { choiceFrom } from './scheduler-choice.ts';
import type { SchedulerNode } from './scheduler-node.ts';
import { type Nominations, nominatedPods } from './scheduler-nominations.ts';
import { byTurn, type PodKind, type QueuedPod } from './scheduler-pod-kind.ts';
import { awaitsVictims, PREEMPTED, type Preemption, preemptionFor } from './scheduler-preemption.ts';
import { simulatedPodVolumes } from './scheduler-volumes.ts';

/** The field manager of its nominations. */
const SCHEDULER = 'kube-scheduler';

/**
 * A simulated kube-scheduler: it binds pods, marks the others as unschedulable, and sends an Event for each of them, which calls the webhook.
 * After a node has joined or gone, one Event stands for those of all pods that fail again.
 */
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
  const nominations = nominatedPods((name) => cache.named(name) !== undefined);
  const choice = choiceFrom(cache, nominations);
  let versionSeen: number | undefined;
  let membershipSeen = cache.membership();
  /** Without nodes, a pod fails for another reason, and is tried again when the first one joins. */
  let hadNodes = false;
  /** The kinds for which this pass has found no node. */
  const failedNow = new Set<PodKind>();
  /** *Shape:* whether the pod is bound. */
  const schedule = (queued: QueuedPod): boolean => {
    const { pod, kind } = queued;
    // A node that has joined with a taint that the pod does not tolerate is not a reason to try it again.
    if (hadNodes && isMarked(pod) && !choice.isAdmitted(kind)) return false;
    const volumes = simulatedPodVolumes(state, pod);
    if (volumes === undefined && choice.hasFailed(kind) && !choice.fitsNominated(queued)) {
      failAlike(scheduling, { cache, nominations, failedNow }, queued);
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
    } else if (volumes === undefined) {
      choice.failed(kind);
      if (preemption.kind === 'none') failedNow.add(kind);
    }
    nominate(scheduling, pod, { preemption, message: volumes?.refusal });
    return false;
  };
  return {
    pass() {
      if (versionSeen === state.version + state.storage.version || options.isDown?.() === true) return;
      const waiting = cache.refresh();
      nominations.read(waiting);
      failedNow.clear();
      const hasOtherNodes = cache.membership() !== membershipSeen;
      const failures = waiting.toSorted(byTurn).flatMap((queued) => {
        const wasMarked = isMarked(queued.pod);
        return schedule(queued) ? [] : [{ wasMarked }];
      });
      membershipSeen = cache.membership();
      hadNodes = cache.nodes().length > 0;
      versionSeen = state.version + state.storage.version;
      sendEvents(state, failures, hasOtherNodes);
    },
  };
}

function sendEvents(
  state: KubernetesState,
  failures: readonly { readonly wasMarked: boolean }[],
  hasOtherNodes: boolean,
): void {
  const first = failures.filter(({ wasMarked }) => !wasMarked).length;
  const count = Math.max(first, hasOtherNodes && failures.length > 0 ? 1 : 0);
  for (let sent = 0; sent < count; sent += 1) state.onReview({ resource: 'events', name: 'failed-scheduling' });
}

interface FailedKinds {
  readonly cache: SchedulerCache;
  readonly nominations: Nominations;
  readonly failedNow: ReadonlySet<PodKind>;
}

/** A failed attempt clears the nomination of the pod. A pod whose kind failed in an earlier pass is not tried again. */
function failAlike(scheduling: Scheduling, { cache, nominations, failedNow }: FailedKinds, queued: QueuedPod): void {
  const { pod, kind } = queued;
  const nominated = pod.status?.nominatedNodeName;
  const clears = nominated !== undefined && failedNow.has(kind) && !awaitsVictims({ cache }, queued);
  if (clears) nominations.remove(nominated, queued);
  nominate(scheduling, pod, { preemption: { kind: clears ? 'none' : 'waits' }, message: undefined });
}

function bind({ state, clock }: Scheduling, pod: Pod, node: SchedulerNode): Pod {
  const condition = { type: 'PodScheduled', status: 'True' as const, lastTransitionTime: formatTime(clock.now()) };
  const free = withNomination(pod, undefined, SCHEDULER);
  const bound: Pod = {
    ...free,
    spec: { ...pod.spec, nodeName: node.name },
    status: { ...free.status, phase: 'Pending', conditions: [condition] },
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
  const nominated = withNomination(pod, keeps ? before : nominatedNodeName, SCHEDULER);
  writePod(state, { ...nominated, status: { ...nominated.status, phase: 'Pending', conditions: [condition] } });
}
