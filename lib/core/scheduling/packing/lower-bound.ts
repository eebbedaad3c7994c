import type { Pod } from '../../../apis/kubernetes.ts';
import { type BacklogGroup, hostCapsOf } from '../placement/backlog.ts';
import { variants } from '../placement/variants.ts';
import { membersOf } from '../pools/bitset.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { dot, type Vector } from '../pools/resource-space.ts';
import type { PoolTypeIndex, Selection } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import type { PlannedNodeClaim } from '../schedule.ts';
import type { Goal } from './goal.ts';
import { columnsOf, demandOn, type Slot, scarcestSlots } from './market-worth.ts';
import { resourcePrices } from './resource-prices.ts';

/** Pods that may use the same offerings. */
interface Market {
  readonly sets: readonly RequirementSet[];
  readonly groups: BacklogGroup[];
}

const PRICE: Pick<Goal, 'target' | 'costOf'> = {
  target: 'cost',
  costOf: (_types, _type, priceUsdPerHour) => priceUsdPerHour,
};

/**
 * A lower bound of the price of the claims: no other nodes of the same NodePools for the same pods are cheaper. Fractions of nodes are
 * allowed, the required constraints on instance types and places are kept, and so are limits on the pods of one host. Other rules
 * between pods, limits of NodePools and preferences are ignored.
 *
 * Each pod gets a worth so that the pods of a node, whichever they are, are never worth more than its price. The sum of the worths is
 * then at most the price of any nodes that hold the pods. The worth of a pod is that of its resources, times a factor that is higher if
 * the pod is limited to expensive offerings. *Units:* USD per hour. *Cost:* O(pods + types × different requirements of
 * pods), and at most four linear programs for each NodePool.
 */
export function lowerBoundUsd(run: Run, backlog: readonly BacklogGroup[], claims: readonly PlannedNodeClaim[]): number {
  let sum = 0;
  for (const types of run.pools) {
    const own = claims.filter(({ template }) => template === types.template);
    if (own.length > 0) sum += boundIn(run, types, groupsOn(run, { types, backlog, claims: own }));
  }
  return sum;
}

/** The pods of the claims by class, without their preferences. */
function groupsOn(
  run: Run,
  {
    types,
    backlog,
    claims,
  }: {
    readonly types: PoolTypeIndex;
    readonly backlog: readonly BacklogGroup[];
    readonly claims: readonly PlannedNodeClaim[];
  },
): readonly BacklogGroup[] {
  const placed = new Set<Pod>(claims.flatMap(({ pods }) => pods));
  return backlog.flatMap((group): readonly BacklogGroup[] => {
    const pods = group.pods.filter((pod) => placed.has(pod));
    if (pods.length === 0) return [];
    const all = variants(run, group.demand);
    const least = all.at(-1) ?? group.demand;
    // B31: required alternatives of node affinity are tried one after the other, so each variant may have others.
    const demand = { ...least, alternatives: all.flatMap(({ alternatives }) => alternatives) };
    return [{ demand, pods, placed: 0, types, hostCaps: hostCapsOf(least) }];
  });
}

function boundIn(run: Run, types: PoolTypeIndex, groups: readonly BacklogGroup[]): number {
  const slots = scarcestSlots(groups).map((slot) => ({ ...slot, max: mostOnHost(slot, groups) }));
  const wanted = demandOn(types, { backlog: groups, slots, exhausted: run.exhausted });
  const markets = marketsOf(run, types, groups).toSorted((a, b) => podsIn(b) - podsIn(a));
  const bounds = markets.slice(0, MAX_PROGRAMS).map(({ sets }) => {
    const columns = sets.flatMap((set) => columnsOf(types, { set, slots, goal: PRICE }));
    return boundBy(resourcePrices(wanted, columns), { types, slots, markets });
  });
  return Math.max(0, ...bounds);
}

/** The linear programs of the requirements with the most pods are tried. */
const MAX_PROGRAMS = 4;

/** Groups may have different limits for the same counter. */
function mostOnHost({ counter }: Slot, groups: readonly BacklogGroup[]): number {
  const limits = groups.flatMap(({ hostCaps }) => hostCaps.filter((one) => one.counter === counter));
  return Math.max(...limits.map(({ max }) => max));
}

function marketsOf(run: Run, types: PoolTypeIndex, groups: readonly BacklogGroup[]): readonly Market[] {
  const markets = new Map<string, Market>();
  for (const group of groups) {
    const sets = group.demand.alternatives.flatMap(({ set }) => run.sets.join(types.set, set) ?? []);
    const key = sets.map(({ id }) => id).join();
    const market = markets.get(key) ?? { sets, groups: [] };
    market.groups.push(group);
    markets.set(key, market);
  }
  return [...markets.values()];
}

function podsIn({ groups }: Market): number {
  return groups.reduce((sum, { pods }) => sum + pods.length, 0);
}

/** Any worths of resources and slots give a bound, as long as the worth of no room is more than its price. */
function boundBy(
  worth: Vector,
  {
    types,
    slots,
    markets,
  }: { readonly types: PoolTypeIndex; readonly slots: readonly Slot[]; readonly markets: readonly Market[] },
): number {
  const values = types.rooms.map((room) => worthOfRoom(worth, room, slots));
  return markets.reduce((sum, { sets, groups }) => {
    const factor = factorOf(
      sets.map((set) => types.selectionFor(set)),
      values,
    );
    return sum + factor * groups.reduce((all, group) => all + group.pods.length * worthOf(group, worth, slots), 0);
  }, 0);
}

/** The largest factor with which the worth of no room in the market is more than its price. */
function factorOf(selections: readonly Selection[], values: readonly number[]): number {
  let factor = Number.POSITIVE_INFINITY;
  for (const { types, market } of selections)
    for (const type of membersOf(types)) {
      const value = values[type] ?? 0;
      if (value > 0) factor = Math.min(factor, (market.prices[type] ?? 0) / value);
    }
  return Number.isFinite(factor) ? factor : 0;
}

/** A pod takes a slot if it has the limit itself. Other pods that are counted may share a host. */
function worthOf({ demand: { requests }, hostCaps }: BacklogGroup, worth: Vector, slots: readonly Slot[]): number {
  let sum = dot(requests, worth);
  slots.forEach(({ counter }, at) => {
    if (hostCaps.some((one) => one.counter === counter)) sum += worth[requests.length + at] ?? 0;
  });
  return sum;
}

function worthOfRoom(worth: Vector, room: Vector, slots: readonly Slot[]): number {
  let sum = 0;
  for (let at = 0; at < worth.length; at += 1) {
    const amount = at < room.length ? (room[at] ?? 0) : (slots[at - room.length]?.max ?? 0);
    sum += Math.max(amount, 0) * (worth[at] ?? 0);
  }
  return sum;
}
