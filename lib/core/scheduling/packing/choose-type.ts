import type { BacklogGroup } from '../placement/backlog.ts';
import type { Target } from '../placement/open-claim.ts';
import type { Demand } from '../pods/demand.ts';
import { type Bitset, common, has, membersOf } from '../pools/bitset.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { cheapestOf, type PoolTypeIndex, type Selection, undominated } from '../pools/type-index.ts';
import type { Counter } from '../topology/counters.ts';
import { startsGroup } from '../topology/rules.ts';
import { fill } from './fill-node.ts';
import type { Filler, FillerIndex, FillPlan } from './fillers.ts';
import type { Goal } from './goal.ts';

/** The offering that a new claim targets, and the pods for which it is sized. */
export interface Plan {
  readonly target: Target;
  readonly pattern: readonly { readonly group: BacklogGroup; readonly count: number }[];
  /** The cost above the worth of its pods, relative to the worth of the pods with the requirements of the primary pod. */
  readonly waste: number;
  /** The number of pods that must share the host with the primary pod and do not fit. */
  readonly missing: number;
}

export interface Choice {
  readonly types: PoolTypeIndex;
  readonly set: RequirementSet;
  /** Types on which the primary pod fits. */
  readonly candidates: Bitset;
  /** True if limits or host ports excluded types that are large enough. */
  readonly isLimited: boolean;
  /** The group for whose next pod the claim is opened. */
  readonly primary: BacklogGroup;
  /** The demand with which the primary pod is placed. Some of its preferences may be relaxed. */
  readonly demand: Demand;
  readonly fillerIndex: FillerIndex;
  readonly goal: Goal;
}

/**
 * Chooses the type for a new claim: the type that wastes the least when the backlog fills it. Dominated types are skipped.
 * Waste is the cost of the claim above the cost of its pods in the cheapest fleet, divided by the worth of the pods that have
 * the requirements of the primary pod. So a few pods that require on-demand capacity get a small node of their own.
 * *Cost:* O(candidates × groups that fit). *Source:* set cover by value per price (Chvátal 1979).
 */
export function chooseType(choice: Choice): Plan | undefined {
  const selection = choice.types.selectionFor(choice.set);
  if (choice.goal.isFirstFit) return cheapestPlan(choice, selection);
  const fillPlan = fillPlanOf(choice);
  const limitsByCell = new Map<number, Map<number, number>>();
  let best: Plan | undefined;
  for (const { type, minWaste } of byMinWaste(undominatedCandidates(choice, selection), choice, selection)) {
    if (best !== undefined && fillPlan.sharing.size === 0 && minWaste >= best.waste) break;
    const target = { type, cell: selection.market.bestCells[type] ?? 0 };
    const limits = limitsByCell.get(target.cell) ?? new Map<number, number>();
    limitsByCell.set(target.cell, limits);
    const filled = fill(choice.types, fillPlan, { target, limits });
    const cost = choice.goal.costOf(choice.types, type, selection.market.prices[type] ?? 0);
    const waste =
      (cost - filled.worth) / Math.max(filled.ownWorth, SMALLEST_WORTH) + filled.missing * MISSING_POD_PENALTY;
    if (best === undefined || waste < best.waste - EPSILON) {
      best = { target, pattern: filled.pattern, missing: filled.missing, waste };
    }
  }
  return best;
}

/** Sizes the claim for the primary pod alone. Other pods make it larger later. */
export function cheapestPlan(
  { candidates, primary }: Pick<Choice, 'candidates' | 'primary'>,
  { types, market }: Selection,
): Plan | undefined {
  const type = cheapestOf(common(candidates, types), market);
  if (type === undefined) return undefined;
  const target = { type, cell: market.bestCells[type] ?? 0 };
  return { target, pattern: [{ group: primary, count: 1 }], waste: market.prices[type] ?? 0, missing: 0 };
}

const SMALLEST_WORTH = 1e-6;
const EPSILON = 1e-12;
/** The penalty for a pod that must share the host with the primary pod and does not fit: higher than any price. */
const MISSING_POD_PENALTY = 1e6;

function fillPlanOf({ types, set, primary, demand, fillerIndex }: Choice): FillPlan {
  const { fillers, placeOf, smallest } = fillerIndex.fillersFor(types, set);
  const at = placeOf.get(primary);
  if (at !== undefined && primary.demand === demand)
    return { fillers, primary: at, smallest, sharing: sharingWith(demand, fillers) };
  const mine = fillerIndex.primaryFiller(types, set, { group: primary, demand });
  const all = at === undefined ? [mine, ...fillers] : fillers.with(at, mine);
  return { fillers: all, primary: at ?? 0, smallest, sharing: sharingWith(demand, all) };
}

/** The positions of the groups whose affinity requires the host of the primary pod, if this pod is the first of its group. */
function sharingWith(demand: Demand, fillers: readonly Filler[]): ReadonlySet<number> {
  const attracting = attractors(demand);
  if (attracting.size === 0) return NO_FILLERS;
  return new Set(
    fillers.flatMap(({ demand: { rules } }, place) =>
      rules.onHost.some((rule) => rule.kind === 'attract' && attracting.has(rule.counter)) ? [place] : [],
    ),
  );
}

const NO_FILLERS: ReadonlySet<number> = new Set();

/** The counters of host affinity terms that the primary pod would be the first to match. */
function attractors({ rules }: Demand): ReadonlySet<Counter> {
  const starts = rules.onHost.filter((rule) => rule.kind === 'attract' && startsGroup(rule));
  return new Set(starts.map((rule) => rule.counter));
}

/** A dominated type is never better, unless the type that dominates it is excluded. */
function undominatedCandidates(
  { types, candidates, isLimited, goal }: Choice,
  selection: Selection,
): readonly number[] {
  if (goal.target === 'limits') return membersOf(common(candidates, selection.types));
  if (isLimited) return undominated(common(candidates, selection.types), types, selection.market);
  return types.frontierOf(selection).filter((type) => has(candidates, type));
}

/** The waste of each type if pods filled it completely. This is a lower bound, so the types with the lowest bound come first. */
function byMinWaste(
  candidates: readonly number[],
  { types, fillerIndex, demand, goal }: Choice,
  { market }: Selection,
): readonly { readonly type: number; readonly minWaste: number }[] {
  return candidates
    .map((type) => {
      const maxWorth = fillerIndex.worth.ofRoom(types, type, demand);
      const cost = goal.costOf(types, type, market.prices[type] ?? 0);
      return { type, minWaste: (cost - maxWorth) / Math.max(maxWorth, SMALLEST_WORTH) };
    })
    .toSorted((a, b) => a.minWaste - b.minWaste || a.type - b.type);
}
