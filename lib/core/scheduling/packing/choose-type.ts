import type { BacklogGroup } from '../placement/backlog.ts';
import type { Target } from '../placement/open-claim.ts';
import type { Demand } from '../pods/demand.ts';
import { type Bitset, common, has, membersOf } from '../pools/bitset.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { cheapestOf, type PoolTypeIndex, type Selection, undominated } from '../pools/type-index.ts';
import type { Counter } from '../topology/counters.ts';
import { startsGroup } from '../topology/rules.ts';
import { fill } from './fill-node.ts';
import type { Filler, FillerIndex, Party } from './fillers.ts';
import type { Goal } from './goal.ts';

/** What a new claim aims at, and the pods that it is sized for. */
export interface Plan {
  readonly target: Target;
  readonly pattern: readonly { readonly group: BacklogGroup; readonly count: number }[];
  /** What it costs beyond what its pods are worth, for what is done for pods like the head. */
  readonly waste: number;
  /** How many pods that must share the host with the head it has no room for. */
  readonly leftBehind: number;
}

export interface Choice {
  readonly types: PoolTypeIndex;
  readonly set: RequirementSet;
  /** Types that hold the pod that the claim is opened for. */
  readonly candidates: Bitset;
  /** True where it is not for their room alone that other types are no candidates. */
  readonly isLimited: boolean;
  readonly head: BacklogGroup;
  /** The demand under which the head is placed: some of its preferences may be given up. */
  readonly demand: Demand;
  readonly guestBook: FillerIndex;
  readonly goal: Goal;
}

/**
 * The type for a new claim: of those that no other undercuts, the one that wastes the least when the backlog fills it.
 * Waste is what the claim costs beyond what its pods would cost in the cheapest fleet, for what it does for pods that, like
 * the head, need such a claim: so a few pods that must have on-demand capacity get a small node of their own.
 * *Cost:* O(candidates × groups that fit). *Source:* set cover by value per price (Chvátal 1979).
 */
export function chooseType(choice: Choice): Plan | undefined {
  const selection = choice.types.selectionFor(choice.set);
  if (choice.goal.isGreedy) return cheapestPlan(choice, selection);
  const party = partyOf(choice);
  if (party === undefined) return undefined;
  const limitsByCell = new Map<number, Map<number, number>>();
  let best: Plan | undefined;
  for (const { type, leastWaste } of byLeastWaste(worthTrying(choice, selection), choice, selection)) {
    if (best !== undefined && party.sharing.size === 0 && leastWaste >= best.waste) break;
    const target = { type, cell: selection.market.bestCells[type] ?? 0 };
    const limits = limitsByCell.get(target.cell) ?? new Map<number, number>();
    limitsByCell.set(target.cell, limits);
    const filled = fill(choice.types, party, { target, limits });
    const cost = choice.goal.costOf(choice.types, type, selection.market.prices[type] ?? 0);
    const waste = (cost - filled.worth) / Math.max(filled.ownWorth, SMALLEST_WORTH) + filled.missing * LEFT_BEHIND;
    if (best === undefined || waste < best.waste - TINY) {
      best = { target, pattern: filled.pattern, leftBehind: filled.missing, waste };
    }
  }
  return best;
}

/** For the head alone: others will make it larger. */
function cheapestPlan({ candidates, head }: Choice, { types, market }: Selection): Plan | undefined {
  const type = cheapestOf(common(candidates, types), market);
  if (type === undefined) return undefined;
  const target = { type, cell: market.bestCells[type] ?? 0 };
  return { target, pattern: [{ group: head, count: 1 }], waste: market.prices[type] ?? 0, leftBehind: 0 };
}

const SMALLEST_WORTH = 1e-6;
const TINY = 1e-12;
/** Pods that must share the host with the head count for more than any price. */
const LEFT_BEHIND = 1e6;

function partyOf({ types, set, head, demand, guestBook }: Choice): Party | undefined {
  const { guests, placeOf, smallest } = guestBook.fillersFor(types, set);
  const at = placeOf.get(head);
  if (at !== undefined && head.demand === demand)
    return { guests, head: at, smallest, sharing: sharingWith(demand, guests) };
  const mine = guestBook.guest(types, set, { group: head, demand });
  if (mine === undefined) return undefined;
  const all = at === undefined ? [mine, ...guests] : guests.with(at, mine);
  return { guests: all, head: at ?? 0, smallest, sharing: sharingWith(demand, all) };
}

/** The places of the groups that want to be on one host with the head, which it would start. */
function sharingWith(demand: Demand, guests: readonly Filler[]): ReadonlySet<number> {
  const attracting = attractors(demand);
  if (attracting.size === 0) return NOBODY;
  return new Set(
    guests.flatMap(({ demand: { rules } }, place) =>
      rules.onHost.some((rule) => rule.kind === 'attract' && attracting.has(rule.counter)) ? [place] : [],
    ),
  );
}

const NOBODY: ReadonlySet<number> = new Set();

/** Groups of pods that want to be together on one host, which the head would start. */
function attractors({ rules }: Demand): ReadonlySet<Counter> {
  const starts = rules.onHost.filter((rule) => rule.kind === 'attract' && startsGroup(rule));
  return new Set(starts.map((rule) => rule.counter));
}

/** A type that is undercut is never better, unless the one that undercuts it is out of the question. */
function worthTrying({ types, candidates, isLimited, goal }: Choice, selection: Selection): readonly number[] {
  if (goal.aim === 'limits') return membersOf(common(candidates, selection.types));
  if (isLimited) return undominated(common(candidates, selection.types), types, selection.market);
  return types.frontierOf(selection).filter((type) => has(candidates, type));
}

/** What each would waste if pods filled it to the last byte: no filling does better, so the most promising come first. */
function byLeastWaste(
  candidates: readonly number[],
  { types, guestBook, demand, goal }: Choice,
  { market }: Selection,
): readonly { readonly type: number; readonly leastWaste: number }[] {
  return candidates
    .map((type) => {
      const most = guestBook.worth.ofRoom(types, type, demand);
      const cost = goal.costOf(types, type, market.prices[type] ?? 0);
      return { type, leastWaste: (cost - most) / Math.max(most, SMALLEST_WORTH) };
    })
    .toSorted((a, b) => a.leastWaste - b.leastWaste || a.type - b.type);
}
