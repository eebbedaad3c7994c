import { type BacklogGroup, canUsePool, remainingOf } from '../placement/backlog.ts';
import type { Demand } from '../pods/demand.ts';
import { membersOf } from '../pools/bitset.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { takeFrom, type Vector } from '../pools/resource-space.ts';
import type { PoolTypeIndex } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import type { Counter } from '../topology/counters.ts';
import type { Goal } from './goal.ts';
import { type PriceColumn, resourcePrices } from './resource-prices.ts';

/** The cost of each pod in the cheapest fleet for the backlog, in the quantity that the run minimizes. It is not a price. */
export interface Worth {
  of(demand: Demand, types: PoolTypeIndex): number;
  /** The worth of the whole room of a type in the market of the demand. */
  ofRoom(types: PoolTypeIndex, type: number, demand: Demand): number;
}

const NO_ROOM = new Float64Array();

/** A limit on the number of pods of a kind on one host, treated as a resource like cpu. */
interface Slot {
  readonly counter: Counter;
  readonly max: number;
  demand: number;
}

/** The number of slots in the linear program. There may be hundreds; the scarcest determine the number of nodes. */
const MAX_SLOTS = 8;
/** The number of requirement sets with their own market. The others use the market of their pool. */
const MAX_MARKETS = 48;

export function marketWorth(
  backlog: readonly BacklogGroup[],
  { sets, goal, exhausted }: Pick<Run, 'sets' | 'goal' | 'exhausted'>,
): Worth {
  const slots = scarcestSlots(backlog.map((group) => ({ hostCaps: group.hostCaps, count: remainingOf(group) })));
  const worths = new Map<PoolTypeIndex, Map<RequirementSet, Vector>>();
  const each = new Map<Demand, { readonly types: PoolTypeIndex; readonly worth: number }>();
  let markets = 0;
  const worthOf = (types: PoolTypeIndex, required: RequirementSet): Vector => {
    const known = worths.get(types) ?? new Map<RequirementSet, Vector>();
    worths.set(types, known);
    const set = sets.join(types.set, markets < MAX_MARKETS ? required : types.set) ?? types.set;
    const worth =
      known.get(set) ??
      resourcePrices(demandOn(types, { backlog, slots, exhausted }), columnsOf(types, { set, slots, goal }));
    if (!known.has(set)) markets += 1;
    known.set(set, worth);
    return worth;
  };
  const worthFor = (demand: Demand, types: PoolTypeIndex): Vector =>
    worthOf(types, demand.alternatives[0]?.set ?? types.set);
  return {
    ofRoom(types, type, demand) {
      const worth = worthFor(demand, types);
      const room = types.rooms[type] ?? NO_ROOM;
      let sum = 0;
      for (let at = 0; at < worth.length; at += 1)
        sum += (worth[at] ?? 0) * (room[at] ?? slots[at - room.length]?.max ?? 0);
      return sum;
    },
    of(demand, types) {
      const known = each.get(demand);
      if (known?.types === types) return known.worth;
      const worth = worthFor(demand, types);
      let sum = 0;
      for (let at = 0; at < demand.requests.length; at += 1) sum += (worth[at] ?? 0) * (demand.requests[at] ?? 0);
      slots.forEach(({ counter }, at) => {
        if (demand.hostCounters.includes(counter)) sum += worth[demand.requests.length + at] ?? 0;
      });
      each.set(demand, { types, worth: sum });
      return sum;
    },
  };
}

/** `groups`: the number of pods of each group, and the limits on its pods on one host. */
export function scarcestSlots(
  groups: readonly (Pick<BacklogGroup, 'hostCaps'> & { readonly count: number })[],
): readonly Slot[] {
  const slots = new Map<Counter, Slot>();
  for (const { hostCaps, count } of groups) {
    for (const { counter, max } of hostCaps) {
      const slot = slots.get(counter) ?? { counter, max, demand: 0 };
      slot.demand += count;
      slots.set(counter, slot);
    }
  }
  return [...slots.values()].toSorted((a, b) => b.demand / b.max - a.demand / a.max).slice(0, MAX_SLOTS);
}

function demandOn(
  types: PoolTypeIndex,
  {
    backlog,
    slots,
    exhausted,
  }: Pick<Run, 'exhausted'> & { readonly backlog: readonly BacklogGroup[]; readonly slots: readonly Slot[] },
): Vector {
  const width = backlog[0]?.demand.requests.length ?? 0;
  const sum = new Float64Array(width + slots.length);
  for (const group of backlog) {
    if (!canUsePool(group, types, exhausted)) continue;
    takeFrom(sum.subarray(0, width), group.demand.requests, -remainingOf(group));
  }
  slots.forEach((slot, at) => {
    sum[width + at] = slot.demand;
  });
  return sum;
}

function columnsOf(
  types: PoolTypeIndex,
  {
    set,
    slots,
    goal,
  }: { readonly set: RequirementSet; readonly slots: readonly Slot[]; readonly goal: Pick<Goal, 'target' | 'costOf'> },
): readonly PriceColumn[] {
  const selection = types.selectionFor(set);
  const candidates = goal.target === 'limits' ? membersOf(selection.types) : types.frontierOf(selection);
  return candidates.map((type) => ({
    holds: holdsOf(types.rooms[type] ?? NO_ROOM, slots),
    price: goal.costOf(types, type, selection.market.prices[type] ?? 0),
  }));
}

function holdsOf(room: Vector, slots: readonly Slot[]): Vector {
  const holds = new Float64Array(room.length + slots.length);
  holds.set(room);
  slots.forEach(({ max }, at) => {
    holds[room.length + at] = max;
  });
  return holds;
}
