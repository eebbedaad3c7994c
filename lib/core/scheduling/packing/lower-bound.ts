import type { Pod } from '../../../apis/kubernetes.ts';
import { optional } from '../../../apis/optional.ts';
import { onceFor } from '../../kept-answers.ts';
import { type BacklogGroup, hostCapsOf } from '../placement/backlog.ts';
import { variants } from '../placement/variants.ts';
import type { Demand } from '../pods/demand.ts';
import { membersOf } from '../pools/bitset.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { dot, takeFrom, type Vector } from '../pools/resource-space.ts';
import type { PoolTypeIndex, Selection } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import type { PlannedNodeClaim } from '../schedule.ts';
import { type CountedPods, measuresOf } from './measures.ts';
import { type PriceColumn, resourcePrices } from './resource-prices.ts';
import { type NodeOffer, priceOfSeveralNodes } from './whole-nodes.ts';

/** Pods that may use the same offerings. */
interface Market {
  readonly sets: readonly RequirementSet[];
  readonly groups: CountedPods[];
}

/**
 * A lower bound of the price of the claims: no other nodes of the same NodePools for the same pods are cheaper. For few pods, nodes are
 * whole (`whole-nodes.ts`); for more, fractions of nodes are allowed. The required constraints on instance types and places are kept, and
 * so are limits on the pods of one host, and how many of the large pods fit on a node (`measures.ts`). Other rules between pods, limits of
 * NodePools and preferences are ignored.
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
    if (own.length === 0) continue;
    const placed = new Set<Pod>(own.flatMap(({ pods }) => pods));
    const wanted = backlog.map(({ demand, pods }) => ({
      demand,
      count: pods.reduce((all, pod) => all + (placed.has(pod) ? 1 : 0), 0),
    }));
    sum += boundInPool(run, types, wanted);
  }
  return sum;
}

/** A lower bound of the price of nodes of the pool for so many pods of each demand. */
export function boundInPool(
  run: Run,
  types: PoolTypeIndex,
  wanted: readonly Pick<CountedPods, 'demand' | 'count'>[],
): number {
  const groups = wanted.flatMap(({ demand, count }) => (count === 0 ? [] : withoutPreferences(run, demand, count)));
  return boundIn(run, types, groups);
}

function withoutPreferences(run: Run, demand: Demand, count: number): CountedPods {
  const all = variants(run, demand);
  const least = all.at(-1) ?? demand;
  // B31: required alternatives of node affinity are tried one after the other, so each variant may have others.
  const alternatives = all.flatMap((one) => one.alternatives);
  return { demand: { ...least, alternatives }, count, hostCaps: hostCapsOf(least) };
}

function boundIn(run: Run, types: PoolTypeIndex, groups: readonly CountedPods[]): number {
  const markets = marketsOf(run, types, groups).toSorted((a, b) => podsIn(b) - podsIn(a));
  const measures = measuresOf(groups, types.rooms);
  const needs = groups.map((group) =>
    extended(
      group.demand.requests,
      measures.map((one) => one.of(group)),
    ),
  );
  const holds = types.rooms.map((room) =>
    extended(
      room,
      measures.map((one) => one.ofRoom(room)),
    ),
  );
  const wanted = new Float64Array(needs[0]?.length ?? 0);
  groups.forEach(({ count }, at) => takeFrom(wanted, needs[at] ?? wanted, -count));
  const needOf = new Map(groups.map((group, at) => [group, needs[at] ?? wanted]));
  const columnsIn = onceFor(({ sets }: Market) => sets.flatMap((set) => columnsOf(types, holds, set)));
  const isFew = markets.reduce((sum, market) => sum + podsIn(market), 0) < FEW_PODS;
  const oneNodeUsd = isFew ? priceOfOneNode(wanted, markets.map(columnsIn)) : undefined;
  const packing: Packing = { types, holds, needOf, markets, ...optional({ oneNodeUsd }) };
  const bounds = markets
    .slice(0, MAX_PROGRAMS)
    .map((market) => boundBy(resourcePrices(wanted, columnsIn(market)), packing));
  return Math.max(0, ...bounds);
}

/** The resources, followed by the measures. */
function extended(resources: Vector, measures: readonly number[]): Vector {
  const all = new Float64Array(resources.length + measures.length);
  all.set(resources);
  all.set(measures, resources.length);
  return all;
}

function columnsOf(types: PoolTypeIndex, holds: readonly Vector[], set: RequirementSet): readonly PriceColumn[] {
  const selection = types.selectionFor(set);
  return types.frontierOf(selection).map((type) => ({
    holds: holds[type] ?? new Float64Array(),
    price: selection.market.prices[type] ?? 0,
  }));
}

/** The linear programs of the requirements with the most pods are tried. */
const MAX_PROGRAMS = 4;

function marketsOf(run: Run, types: PoolTypeIndex, groups: readonly CountedPods[]): readonly Market[] {
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
  return groups.reduce((sum, { count }) => sum + count, 0);
}

interface Packing {
  readonly types: PoolTypeIndex;
  readonly holds: readonly Vector[];
  readonly needOf: ReadonlyMap<CountedPods, Vector>;
  readonly markets: readonly Market[];
  /** What one node for all pods costs at least. @default the pods are not few, so that nodes are not whole */
  readonly oneNodeUsd?: number;
}

/** Any worths of resources and measures give a bound, as long as the worth of no room is more than its price. */
function boundBy(worth: Vector, packing: Packing): number {
  const { types, holds, needOf, markets, oneNodeUsd } = packing;
  const values = holds.map((amounts) => worthOfRoom(worth, amounts));
  const priced = markets.map(({ sets, groups }) => {
    const selections = sets.map((set) => types.selectionFor(set));
    return { groups, selections, factor: factorOf(selections, values) };
  });
  const sum = priced.reduce(
    (all, { groups, factor }) =>
      all + factor * groups.reduce((own, group) => own + group.count * dot(worth, needOf.get(group) ?? worth), 0),
    0,
  );
  if (oneNodeUsd === undefined || sum <= 0) return sum;
  const offers = priced.flatMap(({ selections, factor }) =>
    selections.flatMap((selection) =>
      types.frontierOf(selection).map((type): NodeOffer => {
        return { worth: factor * (values[type] ?? 0), priceUsdPerHour: selection.market.prices[type] ?? 0 };
      }),
    ),
  );
  return Math.max(sum, Math.min(oneNodeUsd, priceOfSeveralNodes(sum, offers)));
}

/** For more pods, whole nodes make little difference. */
const FEW_PODS = 100;

/** A lower bound of the price of one node that holds all pods: each market alone must allow it. */
function priceOfOneNode(wanted: Vector, markets: readonly (readonly PriceColumn[])[]): number {
  const inMarkets = markets.map((columns) => {
    const fitting = columns.filter((column) => wanted.every((amount, at) => amount <= (column.holds[at] ?? 0)));
    return Math.min(...fitting.map(({ price }) => price));
  });
  return Math.max(...inMarkets);
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

function worthOfRoom(worth: Vector, amounts: Vector): number {
  let sum = 0;
  for (let at = 0; at < worth.length; at += 1) sum += Math.max(amounts[at] ?? 0, 0) * (worth[at] ?? 0);
  return sum;
}
