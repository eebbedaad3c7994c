import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { isBufferPod } from '../cluster/buffer-pod.ts';
import type { ClusterIndex } from './cluster-index.ts';
import { type FillerIndex, fillerIndex } from './packing/fillers.ts';
import type { OptimizationTarget } from './packing/goal.ts';
import { lowerBoundUsd } from './packing/lower-bound.ts';
import { marketWorth } from './packing/market-worth.ts';
import { type BacklogGroup, remainingOf, type SpreadOrder, type Turn } from './placement/backlog.ts';
import { freeShare } from './placement/free-room.ts';
import { repackClaims } from './placement/improve/repack-claims.ts';
import { splitClaims } from './placement/improve/split-claims.ts';
import { backlogOf, firstPool } from './placement/make-backlog.ts';
import { placeNominatedPods } from './placement/nominated-pods.ts';
import { type Placing, place, placeOnNodes } from './placement/place.ts';
import { type PlannedFleet, plannedFleet } from './placement/planned-node-claims.ts';
import { leastVariants, relaxed, variants } from './placement/variants.ts';
import { type Deferral, whyInNoPool } from './placement/why-deferred.ts';
import { whyNoNode } from './placement/why-no-node.ts';
import type { Demand } from './pods/demand.ts';
import {
  isJoiningExhausted,
  type ProblemIndex,
  problemIndexOf,
  problemIndexWithout,
  type Question,
  type Run,
  startRun,
} from './run.ts';
import type { PlannedNodeClaim, Schedule, SchedulingProblem, Unplaced } from './schedule.ts';
import { hasRules } from './topology/allowance.ts';

/**
 * Places every pod: on the claim in flight that was created for it, else on an existing node, else on a claim that this run
 * opened, else on a new claim (B33–B35).
 * *Shape:* the placed pods by host; for each unschedulable pod, one refusal for each NodePool. The order of the pods does not
 * affect the result. *Source:* B27–B36; docs/scheduling.md lists the differences from Karpenter.
 * *Cost:* O(classes × hosts + claims × candidate types × classes). A host is not tried again after a permanent refusal.
 */
export function solve(problem: SchedulingProblem): Schedule {
  return scheduleOf(bestOf(problemIndexOf(problem)));
}

/** A schedule, and a lower bound of the price of some of its claims (`lowerBoundUsd`). */
export interface BoundedSchedule {
  readonly schedule: Schedule;
  /** Undefined if the requirements of the pods are too different to compute it (`limitedJoins`). */
  readonly boundOf: (claims: readonly PlannedNodeClaim[]) => number | undefined;
}

/** The result of `solve`, with lower bounds of its price. */
export function solveWithBound(problem: SchedulingProblem): BoundedSchedule {
  const best = bestOf(problemIndexOf(problem));
  return { schedule: scheduleOf(best), boundOf: best.boundOf };
}

/**
 * Computes where pods would be placed if nodes were removed, for any number of questions on one cluster index (`indexForMany`).
 * *Shape:* the result of `solve` on the same problem with these nodes being deleted; earlier questions do not affect it.
 * `problem.pods`: the pods that every question places. *Cost:* a question costs as much as `solve` for its pods.
 */
export function whatIfOn(cluster: ClusterIndex): (question: Question) => Schedule {
  return (question) => scheduleOf(bestOf(problemIndexWithout(cluster, question)));
}

function scheduleOf(made: Attempt): Schedule {
  return { newClaims: made.fleet.nodeClaims(), existing: made.existing, unplaced: made.unplaced() };
}

/** One way to place the pods. */
interface Attempt extends Pick<Schedule, 'existing'>, Pick<BoundedSchedule, 'boundOf'> {
  readonly fleet: PlannedFleet;
  readonly left: Left;
  /** True if limits prevented a new claim. */
  readonly isLimited: boolean;
  readonly otherOrders: ReadonlySet<SpreadOrder>;
  /** True if a pod is left over that topology rules affect, and that a pool could run. */
  readonly isRuleLeft: boolean;
  /** The room beside pods that were placed last. */
  freeShare(): number;
  /** Why pods are unschedulable. Computed only for the attempt that is kept. */
  unplaced(): readonly Unplaced[];
}

/**
 * The best attempt. Pods that others wait for, and that cannot be placed, do not count as users of their volumes: the question is asked again
 * without them, a few times at most.
 */
function bestOf(asked: ProblemIndex): Attempt {
  let best = bestAttempt(asked);
  const impossible = new Set<string>();
  for (let [current, times] = [asked, 0]; times < MAX_TIMES; times += 1) {
    const further = best.left.real.intersection(current.awaited).difference(impossible);
    if (further.size === 0) break;
    for (const key of further) impossible.add(key);
    current = asked.withImpossible(impossible);
    best = leavingFewer(best, bestAttempt(current));
  }
  return best;
}

const MAX_TIMES = 3;

function bestAttempt(problemIndex: ProblemIndex): Attempt {
  const { packing } = problemIndex.cluster.problem.options ?? {};
  if (problemIndex.fewClaims || packing === 'first-fit') return attempt(problemIndex, 'first-fit');
  const byCost = cheapestAttempt(problemIndex);
  const { size } = problemIndex;
  if (byCost.left.all.size === 0 || !byCost.isLimited) {
    return size > MAX_PODS_FOR_FIRST_FIT ? byCost : better(byCost, attempt(problemIndex, 'first-fit'));
  }
  const byLimits = attempt(problemIndex, 'limits', BY_SIZE);
  const best = leavingFewer(byCost, byLimits);
  return size > MAX_PODS_FOR_FIRST_FIT_UNDER_LIMITS ? best : better(best, attempt(problemIndex, 'first-fit'));
}

/**
 * For many pods, also with those that are spread first (B68); also by size, for many pods only if much room is left beside those that come
 * last. If B68 and B69 leave pods over, the attempt without them is kept if it places more.
 */
function cheapestAttempt(problemIndex: ProblemIndex): Attempt {
  const isLarge = problemIndex.size > MAX_PODS_FOR_FIRST_FIT;
  let best = attempt(problemIndex, 'cost');
  const { otherOrders } = best;
  const tryOrder = (order: SpreadOrder): void => {
    if (otherOrders.has(order)) best = placingMore(best, attempt(problemIndex, 'cost', { order }));
  };
  if (isLarge) tryOrder('first');
  if (!isLarge || best.freeShare() > MUCH_FREE) tryOrder('by-size');
  // If limits leave pods over, the attempt for limits does without B68 and B69 too.
  if (!best.isRuleLeft || best.isLimited) return best;
  return leavingFewer(best, attempt(problemIndex, 'cost', BY_SIZE));
}

/** `one`, unless `other` places more pods. */
function leavingFewer(one: Attempt, other: Attempt): Attempt {
  return more(one.left, other.left) > 0 ? other : one;
}

/** The keys of pods that are not placed. Real pods have priority over virtual ones of CapacityBuffers. */
interface Left {
  readonly real: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

function leftOf(pods: readonly Pod[]): Left {
  return { real: new Set(pods.filter((pod) => !isBufferPod(pod)).map(podKey)), all: new Set(pods.map(podKey)) };
}

/** How many more pods are left. Virtual pods count if as many real ones are left. */
function more(one: Left, other: Left): number {
  return one.real.size - other.real.size || one.all.size - other.all.size;
}

/** Of the price of the fleet. Below it, another attempt saves less than its time is worth. */
const MUCH_FREE = 0.05;

/** As in Karpenter: without B68 and B69. */
const BY_SIZE = { order: 'by-size', inAnyOrder: false } as const;

/** The attempt that places more pods; if both place as many, the cheaper one. */
function placingMore(one: Attempt, other: Attempt): Attempt {
  const moreLeft = more(one.left, other.left);
  const isCheaper = other.fleet.priceUsdPerHour < one.fleet.priceUsdPerHour - EPSILON;
  return moreLeft > 0 || (moreLeft === 0 && isCheaper) ? other : one;
}

/** Up to this many pods are also packed as Karpenter does. The cheaper result is kept, so it never costs more than Karpenter's. */
export const MAX_PODS_FOR_FIRST_FIT = 300;
/** If limits leave pods unschedulable, Karpenter's packing determines which pods have priority. It tries every claim for every pod. */
const MAX_PODS_FOR_FIRST_FIT_UNDER_LIMITS = 1_000;

/** Keeps `one` if it places every pod that `firstFit` places; if both place the same pods, keeps the cheaper. */
function better(one: Attempt, firstFit: Attempt): Attempt {
  if (!one.left.real.isSubsetOf(firstFit.left.real)) return firstFit;
  if (one.left.real.size < firstFit.left.real.size) return one;
  if (!one.left.all.isSubsetOf(firstFit.left.all)) return firstFit;
  const isCheaper = firstFit.fleet.priceUsdPerHour < one.fleet.priceUsdPerHour - EPSILON;
  return one.left.all.size === firstFit.left.all.size && isCheaper ? firstFit : one;
}

const EPSILON = 1e-9;

interface Manner {
  /** @default 'last' */
  readonly order?: SpreadOrder;
  /** As in `rulesFor`. @default true */
  readonly inAnyOrder?: boolean;
}

function attempt(problemIndex: ProblemIndex, target: OptimizationTarget, manner: Manner = {}): Attempt {
  const { order = 'last', inAnyOrder = true } = manner;
  const run = startRun(problemIndex, target, { inAnyOrder });
  const { backlog, refused, otherOrders } = backlogOf(run, order);
  // B65: a virtual pod takes no place, no share of a limit and no domain from a real one.
  const { real = [], virtual = [] } = Object.groupBy(backlog, ({ demand }) =>
    demand.podClass.virtual ? 'virtual' : 'real',
  );
  const placings = [real, virtual].filter(({ length }) => length > 0).map((groups) => placeAll(run, groups));
  repackClaims(run, backlog);
  splitClaims(run, backlog);
  const waiting = backlog.filter((group) => remainingOf(group) > 0);
  const fleet = plannedFleet(run);
  const none = [...refused, ...fleet.refused];
  const unplacedPods = [...none.map(({ pod }) => pod), ...waiting.flatMap(({ pods, placed }) => pods.slice(placed))];
  return {
    fleet,
    existing: [...run.placedOn].map(([{ stateNode }, pods]) => ({ stateNode, pods })),
    left: leftOf(unplacedPods),
    isLimited: run.exhausted.size > 0,
    otherOrders,
    isRuleLeft: waiting.some(({ demand, types }) => types !== undefined && hasRules(demand.rules)),
    freeShare: () => freeShare(run, backlog),
    boundOf: (claims) => (isJoiningExhausted(run) ? undefined : lowerBoundUsd(run, backlog, claims)),
    unplaced: () => [...none, ...placings.flatMap(unplacedOf)],
  };
}

/** Places the pods of these groups, also on claims that the run has opened before. */
function placeAll(run: Run, backlog: readonly BacklogGroup[]): Placing {
  placeNominatedPods(run, backlog);
  const placing: Placing = {
    run,
    backlog,
    changedClaims: [...run.claims],
    candidates: new Map(),
    fillerIndex: currentFillerIndex(run, backlog),
  };
  // B33: existing nodes are tried first. Otherwise a new claim would be sized for pods that do not need it.
  if (!run.goal.isFirstFit) for (const group of backlog) while (remainingOf(group) > 0 && placeOnNode(placing, group));
  // B29: repeat while a pass places a pod. A pod that was placed later may satisfy the affinity of an earlier one.
  while (placementPass(placing));
  return placing;
}

/** Relaxes preferences for an existing node only if no new node could satisfy them. */
function placeOnNode(placing: Placing, group: BacklogGroup): boolean {
  for (let demand: Demand | undefined = group.demand; demand !== undefined; ) {
    if (placeOnNodes(placing, group, demand)) return true;
    if (firstPool(placing.run, demand) !== undefined) return false;
    demand = relaxed(placing.run, demand.podClass);
  }
  return false;
}

/** Tries every group that has unplaced pods. *Shape:* true if at least one pod was placed. */
function placementPass(placing: Placing): boolean {
  let progress = false;
  for (const group of placing.backlog) {
    while (remainingOf(group) > 0 && placeNext(placing, group)) progress = true;
    // The list is not used any more. Thousands of these lists take tens of megabytes.
    if (remainingOf(group) === 0) placing.candidates.delete(group.demand);
  }
  return progress;
}

/** B30: places the next pod of the group, and relaxes one preference at a time (B31). The pod after it starts with all preferences. */
function placeNext(placing: Placing, group: BacklogGroup): boolean {
  for (let demand: Demand | undefined = group.demand; demand !== undefined; ) {
    if (place(placing, group, demand)) return true;
    // B30: the next run may place it without relaxing a preference.
    if (placing.candidates.get(demand)?.deferral !== undefined) return false;
    demand = relaxed(placing.run, demand.podClass);
  }
  return false;
}

interface BuiltIndex {
  readonly index: FillerIndex;
  readonly pods: number;
  readonly exhausted: number;
  readonly turn: Turn;
}

/**
 * The index is rebuilt when a quarter of the pods that it was built for are placed, because their worth changes. It has the pods that may
 * share the claims of the turn.
 */
function currentFillerIndex(run: Run, backlog: readonly BacklogGroup[]): Placing['fillerIndex'] {
  const all = backlog.reduce((sum, group) => sum + remainingOf(group), run.tally.placed);
  let current: BuiltIndex | undefined;
  return ({ turn }) => {
    const pods = all - run.tally.placed;
    const exhausted = run.exhausted.size;
    if (current !== undefined && isUpToDate(current, { pods, exhausted, turn })) return current.index;
    const index = fillerIndex(backlog.filter(fillersOf(turn)), marketWorth(backlog, run), run);
    current = { index, pods, exhausted, turn };
    return index;
  };
}

function isUpToDate(built: BuiltIndex, { pods, exhausted, turn }: Omit<BuiltIndex, 'index'>): boolean {
  return pods >= built.pods * REBUILD_BELOW && exhausted === built.exhausted && turn === built.turn;
}

const REBUILD_BELOW = 0.75;

/** The groups that may fill the claims of a turn. */
function fillersOf(turn: Turn): (group: BacklogGroup) => boolean {
  if (turn === 'spread-last') return () => true;
  return (group) => (group.turn === 'spread') === (turn === 'spread') && group.turn !== 'spread-last';
}

function unplacedOf(placing: Placing): readonly Unplaced[] {
  return placing.backlog.filter((group) => remainingOf(group) > 0).flatMap((group) => unplacedOfGroup(placing, group));
}

function unplacedOfGroup(placing: Placing, group: BacklogGroup): readonly Unplaced[] {
  const { run } = placing;
  const deferralOf = (demand: Demand): Deferral | undefined => placing.candidates.get(demand)?.deferral;
  const deferred = variants(run, group.demand).find((demand) => deferralOf(demand) !== undefined);
  const demands = deferred === undefined ? leastVariants(run, group.demand) : [deferred];
  const refusals = [...run.closed, ...whyInNoPool(run, demands, deferred && deferralOf(deferred))];
  const onNodes = whyNoNode(run, demands);
  const why = onNodes === undefined ? { refusals } : { refusals, onNodes };
  return group.pods.slice(group.placed).map((pod) => ({ pod, ...why }));
}
