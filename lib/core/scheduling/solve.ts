import { podKey } from '../../apis/kubernetes.ts';
import { indexForMany } from './cluster-index.ts';
import { type FillerIndex, fillerIndex } from './packing/fillers.ts';
import type { Aim } from './packing/goal.ts';
import { marketWorth } from './packing/market-worth.ts';
import { type BacklogGroup, remainingOf } from './placement/backlog.ts';
import { backlogOf, firstPool } from './placement/make-backlog.ts';
import { type Placing, place, placeOnNodes } from './placement/place.ts';
import { type PlannedFleet, plannedFleet } from './placement/planned-node-claims.ts';
import { keepPromises } from './placement/promises.ts';
import { relaxed, variants } from './placement/variants.ts';
import { type Deferral, whyInNoPool } from './placement/why-deferred.ts';
import { whyNoNode } from './placement/why-no-node.ts';
import type { Demand } from './pods/demand.ts';
import { type ProblemIndex, problemIndexOf, problemIndexWithout, type Question, type Run, startRun } from './run.ts';
import type { Schedule, SchedulingProblem, Unplaced } from './schedule.ts';

/**
 * Finds a place for every pod: the claim in flight that was made for it, else an existing node, then a claim that this run
 * opened, then a new claim (B33–B35).
 * *Shape:* what goes where, and for every pod without a place one refusal a NodePool. The same pods in another order come
 * to the same. *Source:* B27–B36; docs/scheduling.md lists the differences from Karpenter.
 * *Cost:* O(classes × hosts + claims × candidate types × classes); a host that refused a class for good is not asked again.
 */
export function solve(problem: SchedulingProblem): Schedule {
  return bestSchedule(problemIndexOf(problem));
}

/**
 * Answers what would become of pods if nodes were gone, any number of times: what belongs to the cluster is built once.
 * *Shape:* what `solve` answers where these nodes are going and the pods are to be placed; no answer depends on the questions
 * before it. `problem.pods` are the pods that every question places. *Cost:* of a question, as `solve` on its pods alone.
 */
export function whatIfOn(problem: SchedulingProblem): (question: Question) => Schedule {
  const cluster = indexForMany(problem);
  return (question) => bestSchedule(problemIndexWithout(cluster, question));
}

function bestSchedule(grounds: ProblemIndex): Schedule {
  const best = bestOf(grounds);
  return { newClaims: best.fleet.nodeClaims(), existing: best.existing, unplaced: best.unplaced() };
}

/** One way to place the pods. */
interface Attempt extends Pick<Schedule, 'existing'> {
  readonly fleet: PlannedFleet;
  readonly left: ReadonlySet<string>;
  /** True where limits kept a claim from being opened. */
  readonly isLimited: boolean;
  /** Why the pods that are left have no place: asked of the attempt that is kept. */
  unplaced(): readonly Unplaced[];
}

function bestOf(grounds: ProblemIndex): Attempt {
  const frugal = attempt(grounds, 'money');
  const { size } = grounds;
  if (frugal.left.size === 0 || !frugal.isLimited) {
    return size > MAX_FOR_TWO ? frugal : better(frugal, attempt(grounds, 'greed'));
  }
  const sparing = attempt(grounds, 'limits');
  const best = sparing.left.size < frugal.left.size ? sparing : frugal;
  return size > MAX_UNDER_LIMITS ? best : better(best, attempt(grounds, 'greed'));
}

/** So few pods are packed in Karpenter's way as well: the cheaper of the two is kept, so it is never dearer than that. */
const MAX_FOR_TWO = 300;
/** Under limits not all can be placed: Karpenter's way says which. It asks every claim for every pod. */
const MAX_UNDER_LIMITS = 1_000;

/** The one that leaves none behind that the greedy one places; where both place the same, the cheaper. */
function better(one: Attempt, greedy: Attempt): Attempt {
  if (!one.left.isSubsetOf(greedy.left)) return greedy;
  const isCheaper = greedy.fleet.priceUsdPerHour < one.fleet.priceUsdPerHour - TINY;
  return one.left.size === greedy.left.size && isCheaper ? greedy : one;
}

const TINY = 1e-9;

function attempt(grounds: ProblemIndex, aim: Aim): Attempt {
  const run = startRun(grounds, aim);
  const { backlog, refused } = backlogOf(run);
  keepPromises(run, backlog);
  const placing: Placing = {
    run,
    backlog,
    news: [],
    prospects: new Map(),
    guestBook: currentFillerIndex(run, backlog),
  };
  // B33: nodes that are there come first, or a new claim would be sized for pods that need none.
  if (!run.goal.isGreedy) for (const group of backlog) while (remainingOf(group) > 0 && placeOnNode(placing, group));
  // B29: another lap as long as one made progress: an affinity may be met by a pod that came later.
  while (lap(placing));
  const waiting = backlog.filter((group) => remainingOf(group) > 0);
  const left = [...refused.map(({ pod }) => pod), ...waiting.flatMap(({ pods, placed }) => pods.slice(placed))];
  return {
    fleet: plannedFleet(run),
    existing: [...run.placedOn].map(([{ stateNode }, pods]) => ({ stateNode, pods })),
    left: new Set(left.map(podKey)),
    isLimited: run.exhausted.size > 0,
    unplaced: () => [...refused, ...waiting.flatMap((group) => unplacedOf(placing, group))],
  };
}

/** Preferences are given up for a node that is there only where no new one could meet them either. */
function placeOnNode(placing: Placing, group: BacklogGroup): boolean {
  for (let demand: Demand | undefined = group.demand; demand !== undefined; ) {
    if (placeOnNodes(placing, group, demand)) return true;
    if (firstPool(placing.run, demand) !== undefined) return false;
    demand = relaxed(placing.run, demand.podClass);
  }
  return false;
}

/** One try for every group that has pods left. *Shape:* whether any of them found a place. */
function lap(placing: Placing): boolean {
  let progress = false;
  for (const group of placing.backlog) {
    while (remainingOf(group) > 0 && placeNext(placing, group)) progress = true;
    // Nobody asks for it any more, and thousands of such lists are tens of megabytes.
    if (remainingOf(group) === 0) placing.prospects.delete(group.demand);
  }
  return progress;
}

/** B30: the next pod of the group, giving up one preference after the other; the pod after it starts with all of them. */
function placeNext(placing: Placing, group: BacklogGroup): boolean {
  for (let demand: Demand | undefined = group.demand; demand !== undefined; ) {
    if (place(placing, group, demand)) return true;
    // B30: in the next run it may be had without giving anything up.
    if (placing.prospects.get(demand)?.deferral !== undefined) return false;
    demand = relaxed(placing.run, demand.podClass);
  }
  return false;
}

/** The yardstick is made anew when a quarter of the pods that it was made for is placed. */
function currentFillerIndex(run: Run, backlog: readonly BacklogGroup[]): () => FillerIndex {
  const all = backlog.reduce((sum, group) => sum + remainingOf(group), run.tally.placed);
  let made: { readonly book: FillerIndex; readonly pods: number; readonly exhausted: number } | undefined;
  return () => {
    const pods = all - run.tally.placed;
    const exhausted = run.exhausted.size;
    if (made === undefined || pods < made.pods * REMEASURE || exhausted !== made.exhausted) {
      made = { book: fillerIndex(backlog, marketWorth(backlog, run), run), pods, exhausted };
    }
    return made.book;
  };
}

const REMEASURE = 0.75;

function unplacedOf(placing: Placing, group: BacklogGroup): readonly Unplaced[] {
  const { run } = placing;
  const tried = variants(run, group.demand);
  const deferralOf = (demand: Demand): Deferral | undefined => placing.prospects.get(demand)?.deferral;
  const last = tried.find((demand) => deferralOf(demand) !== undefined) ?? tried.at(-1) ?? group.demand;
  const refusals = [...run.closed, ...whyInNoPool(run, last, deferralOf(last))];
  const onNodes = whyNoNode(run, last);
  const why = onNodes === undefined ? { refusals } : { refusals, onNodes };
  return group.pods.slice(group.placed).map((pod) => ({ pod, ...why }));
}
