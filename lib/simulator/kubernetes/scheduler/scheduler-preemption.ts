import { timeIn } from '../../../apis/formats/time.ts';
import type { PodDisruptionBudget } from '../../../apis/kubernetes.ts';
import { selectsPod } from '../../../core/cluster/pod-disruption-budgets.ts';
import { isTerminating } from '../../../core/cluster/pods.ts';
import { compareText } from '../../../core/compare-text.ts';
import type { Clock } from '../../../ports/clock.ts';
import { budgetStatus } from '../disruptions-allowed.ts';
import type { KubernetesState } from '../state.ts';
import type { SchedulerCache } from './scheduler-cache.ts';
import { admitsKind, nodeHasRoom } from './scheduler-filters.ts';
import type { SchedulerNode } from './scheduler-node.ts';
import type { Nominations } from './scheduler-nominations.ts';
import type { QueuedPod } from './scheduler-pod-kind.ts';
import type { SimulatedPodVolumes } from './scheduler-volumes.ts';

/**
 * DefaultPreemption: which pods of lower priority are deleted so that a pod fits that no node has room for.
 * *Source:* framework/preemption and defaultpreemption of Kubernetes 1.35.
 */

export interface PreemptionWorld {
  readonly state: KubernetesState;
  readonly cache: SchedulerCache;
  readonly nominations: Nominations;
  readonly clock: Clock;
}

export type Preemption =
  /** The pods that were deleted for this pod have not ended, or it must not preempt. */
  | { readonly kind: 'waits' }
  /** No node fits the pod if pods of lower priority are deleted. */
  | { readonly kind: 'none' }
  | { readonly kind: 'victims'; readonly node: SchedulerNode; readonly victims: readonly QueuedPod[] };

/** The condition of a pod that the scheduler deletes for another pod. */
export const PREEMPTED = { type: 'DisruptionTarget', reason: 'PreemptionByScheduler' } as const;

/** *Cost:* O(nodes that admit the pod × their pods), at most MAX_CANDIDATES nodes on which pods can be deleted. */
export function preemptionFor(
  world: PreemptionWorld,
  queued: QueuedPod,
  volumes: SimulatedPodVolumes | undefined,
): Preemption {
  const { kind } = queued;
  const { cache } = world;
  if (!kind.preempts) return { kind: 'waits' };
  if (awaitsVictims(world, queued)) return { kind: 'waits' };
  if (!cache.hasBelow(kind.priority) || volumes?.refusal !== undefined) return { kind: 'none' };
  const admitting = cache.nodes().filter((node) => admitsKind(node, kind) && volumes?.fits(node) !== false);
  const candidates: Candidate[] = [];
  const budgets = budgetsLeft(world.state);
  const wanted = Math.max(MAX_CANDIDATES, Math.trunc(cache.nodes().length / 10));
  for (const node of admitting) {
    const candidate = victimsOn(world, { queued, node, budgets });
    if (candidate !== undefined) candidates.push(candidate);
    if (candidates.length >= wanted && candidates.some(({ violations }) => violations === 0)) break;
  }
  const [chosen] = candidates.toSorted(leastHarm(world.clock));
  return chosen === undefined ? { kind: 'none' } : { kind: 'victims', node: chosen.node, victims: chosen.victims };
}

/** The number of nodes that are compared; in large clusters a tenth of the nodes. */
const MAX_CANDIDATES = 100;

/** Whether pods that were deleted for the pod still end on its nominated node. */
export function awaitsVictims({ cache }: Pick<PreemptionWorld, 'cache'>, { pod, kind }: QueuedPod): boolean {
  const { nominatedNodeName } = pod.status ?? {};
  if (nominatedNodeName === undefined) return false;
  const node = cache.named(nominatedNodeName);
  if (node === undefined || !admitsKind(node, kind)) return false;
  return cache
    .podsOn(node)
    .some(
      (other) =>
        other.kind.priority < kind.priority &&
        isTerminating(other.pod) &&
        other.pod.status?.conditions?.some(({ reason }) => reason === PREEMPTED.reason) === true,
    );
}

interface Candidate {
  readonly node: SchedulerNode;
  /** The most important pod first. Never empty. */
  readonly victims: readonly QueuedPod[];
  /** The number of victims whose PodDisruptionBudget allows no disruption. */
  readonly violations: number;
}

interface BudgetLeft {
  readonly budget: PodDisruptionBudget;
  readonly allowed: number;
}

function budgetsLeft(state: KubernetesState): readonly BudgetLeft[] {
  return state.podDisruptionBudgets.map((budget) => ({
    budget,
    allowed: budgetStatus(budget, state).disruptionsAllowed,
  }));
}

/**
 * Removes all pods of lower priority from the node, and adds as many again as fit beside the pod: first those whose budget allows
 * no disruption, and the most important first. *Shape:* undefined if the pod does not fit even without all of them.
 */
function victimsOn(
  { cache, nominations, clock }: PreemptionWorld,
  {
    queued,
    node,
    budgets,
  }: { readonly queued: QueuedPod; readonly node: SchedulerNode; readonly budgets: readonly BudgetLeft[] },
): Candidate | undefined {
  const lower = cache.podsOn(node).filter(({ kind }) => kind.priority < queued.kind.priority);
  if (lower.length === 0) return undefined;
  const check = cache.topology.rulesOf(queued.kind).check();
  const fits = (): boolean =>
    nodeHasRoom(node, queued.kind) && check?.(node) !== false && nominations.leaveRoom(node, queued);
  const removed = new Set(lower);
  for (const one of lower) cache.tryOut(node, one, -1);
  const canFit = fits();
  const sorted = lower.toSorted(moreImportant(clock));
  const violating = new Set(violatingPods(sorted, budgets));
  if (canFit) {
    for (const one of [...violating, ...sorted.filter((other) => !violating.has(other))]) {
      cache.tryOut(node, one, 1);
      if (fits()) removed.delete(one);
      else cache.tryOut(node, one, -1);
    }
  }
  for (const one of removed) cache.tryOut(node, one, 1);
  const victims = sorted.filter((one) => removed.has(one));
  if (!canFit || victims.length === 0) return undefined;
  return { node, victims, violations: victims.filter((one) => violating.has(one)).length };
}

/** The pods for which a budget has no disruption left when those before them are disrupted. */
function violatingPods(pods: readonly QueuedPod[], budgets: readonly BudgetLeft[]): readonly QueuedPod[] {
  const left = budgets.map(({ allowed }) => allowed);
  return pods.filter(({ pod }) => {
    let violates = false;
    for (const [index, { budget }] of budgets.entries()) {
      if (!selectsPod(budget, pod)) continue;
      left[index] = (left[index] ?? 0) - 1;
      if ((left[index] ?? 0) < 0) violates = true;
    }
    return violates;
  });
}

function startOf({ pod }: QueuedPod, clock: Clock): number {
  return timeIn(pod.status?.startTime) ?? clock.now();
}

function moreImportant(clock: Clock): (a: QueuedPod, b: QueuedPod) => number {
  return (a, b) => b.kind.priority - a.kind.priority || startOf(a, clock) - startOf(b, clock);
}

function highest({ victims }: Candidate): number {
  return victims[0]?.kind.priority ?? 0;
}

/** Priorities can be negative: the shift counts each victim. */
function sum({ victims }: Candidate): number {
  return victims.reduce((total, { kind }) => total + kind.priority + 2 ** 31, 0);
}

/** Fewest violated budgets, lowest highest priority, lowest sum of priorities, fewest victims, latest start; ties by name. */
function leastHarm(clock: Clock): (a: Candidate, b: Candidate) => number {
  const earliest = (candidate: Candidate): number => {
    const first = candidate.victims.filter(({ kind }) => kind.priority === highest(candidate));
    return Math.min(...first.map((one) => startOf(one, clock)));
  };
  return (a, b) =>
    a.violations - b.violations ||
    highest(a) - highest(b) ||
    sum(a) - sum(b) ||
    a.victims.length - b.victims.length ||
    earliest(b) - earliest(a) ||
    compareText(a.node.name, b.node.name);
}
