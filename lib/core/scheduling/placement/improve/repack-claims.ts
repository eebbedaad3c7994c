import type { Pod } from '../../../../apis/kubernetes.ts';
import type { Classes, ClassNode } from '../../packing/fill-by-class.ts';
import { boundInPool } from '../../packing/lower-bound.ts';
import { repack } from '../../packing/repack.ts';
import { resourcePrices } from '../../packing/resource-prices.ts';
import type { Demand } from '../../pods/demand.ts';
import { dot, fitsIn, plus, type Vector } from '../../pools/resource-space.ts';
import { isJoiningExhausted, type Run } from '../../run.ts';
import type { BacklogGroup } from '../backlog.ts';
import { type MovableClaims, movableClaims } from './movable-claims.ts';
import { type PlannedNode, podsByDemand, podsOn, replaceClaims } from './replace-claims.ts';

/** With fewer pods, one node is most of the gap. */
const MIN_PODS = 100;
/** A price that is above its lower bound by this share is accepted without a search. */
const ACCEPTED_GAP = 0.01;
/** The search ends when the cost is above its lower bound by this share. */
const ENOUGH_GAP = 0.004;
/** The work of the search: less than half of the time of the run, which grows with these. */
const WORK_OF = { run: 2_500, pod: 10.5, claim: 280, podClass: 175 } as const;
/** Above this gap, the search goes on to this work, which takes about 20 ms: it saves more than its time costs. */
const LARGE_GAP = 0.013;
const WORK_FOR_LARGE_GAP = 450_000;

/**
 * Packs the pods of new claims again where the claims cost over 1 % more than their lower bound. Pods that topology rules, host ports or
 * volumes affect stay on their claims (`movableClaims`).
 * *Shape:* the same pods on new claims. The price is never higher. *Cost:* less than half of that of the run, or about 20 ms.
 */
export function repackClaims(run: Run, backlog: readonly BacklogGroup[]): void {
  const isSought = run.goal.target === 'cost' && run.options.packing !== 'without-search';
  if (!isSought || isJoiningExhausted(run) || podsOn(run.claims) < MIN_PODS) return;
  for (const market of movableClaims(run, backlog))
    if (market.claims.length > 1 && podsOn(market.claims) >= MIN_PODS) repackMarket(run, market, backlog);
}

function repackMarket(run: Run, market: MovableClaims, backlog: readonly BacklogGroup[]): void {
  const { types, set, claims, demands } = market;
  const selection = types.selectionFor(set);
  const offered = types.frontierOf(selection);
  const prices = offered.map((type) => selection.market.prices[type] ?? 0);
  const of = problemOf(run, market, { offered, prices });
  const before = nodesOf(market, of.rooms);
  if (before.some(({ offering }) => offering < 0)) return;
  const leastCost = claims.reduce((sum, { requests }) => sum + dot(of.worth, requests), 0);
  // The cost includes what the run adds to the price of each node.
  if (sumOf(of.costs, before) <= leastCost * (1 + ACCEPTED_GAP)) return;
  if (sumOf(prices, before) <= leastPrice(run, market) * (1 + ACCEPTED_GAP)) return;
  const work =
    WORK_OF.run + WORK_OF.pod * podsOn(claims) + WORK_OF.claim * claims.length + WORK_OF.podClass * demands.length;
  const further = { work: WORK_FOR_LARGE_GAP, aboveUsd: leastCost * (1 + LARGE_GAP) };
  const limits = { work, enoughUsd: leastCost * (1 + ENOUGH_GAP) };
  const nodes = repack(of, before, run.options.longSearch === false ? limits : { ...limits, further });
  if (sumOf(prices, nodes) >= sumOf(prices, before) - EPSILON) return;
  const podsOf = podsByDemand(claims, demands, backlog);
  replaceClaims(run, claims, { types, set, nodes: plannedNodes(demands, { nodes, offered, podsOf }) });
}

const EPSILON = 1e-9;

function leastPrice(run: Run, { types, claims, demands }: MovableClaims): number {
  const wanted = demands.map((demand) => ({
    demand,
    count: claims.reduce((sum, claim) => sum + (claim.demands.get(demand) ?? 0), 0),
  }));
  return boundInPool(run, types, wanted);
}

function sumOf(amounts: readonly number[], nodes: readonly ClassNode[]): number {
  return nodes.reduce((sum, { offering }) => sum + (amounts[offering] ?? 0), 0);
}

function problemOf(
  { goal }: Run,
  { types, claims, demands }: MovableClaims,
  { offered, prices }: { readonly offered: readonly number[]; readonly prices: readonly number[] },
): Classes {
  const sizes = demands.map(({ requests }) => requests);
  const rooms = offered.map((type) => types.rooms[type] ?? NO_ROOM);
  const costs = offered.map((type, at) => goal.costOf(types, type, prices[at] ?? 0));
  const columns = rooms.map((holds, at) => ({ holds, price: costs[at] ?? 0 }));
  const wanted = claims.map(({ requests }) => requests).reduce(plus);
  return { sizes, rooms, costs, worth: resourcePrices(wanted, columns) };
}

const NO_ROOM = new Float64Array();

/** Each claim with its pods by class, as the cheapest offering that holds them; -1 if none does. Offerings are in the order of price. */
function nodesOf({ claims, demands }: MovableClaims, rooms: readonly Vector[]): readonly ClassNode[] {
  const classOf = new Map(demands.map((demand, at) => [demand, at]));
  return claims.map((claim) => ({
    offering: rooms.findIndex((room) => fitsIn(claim.requests, room)),
    classes: [...claim.demands.keys()].map((demand) => classOf.get(demand) ?? 0),
    counts: [...claim.demands.values()],
  }));
}

/** Gives each node its pods. */
function plannedNodes(
  demands: MovableClaims['demands'],
  {
    nodes,
    offered,
    podsOf,
  }: {
    readonly nodes: readonly ClassNode[];
    /** The types of the offerings. */
    readonly offered: readonly number[];
    readonly podsOf: ReadonlyMap<Demand, readonly Pod[]>;
  },
): readonly PlannedNode[] {
  const taken = demands.map(() => 0);
  return nodes.map(({ offering, classes, counts }) => {
    const pods = classes.flatMap((id, place) => {
      const [from, count, demand] = [taken[id] ?? 0, counts[place] ?? 0, demands[id]];
      if (demand === undefined) return [];
      taken[id] = from + count;
      return [[demand, podsOf.get(demand)?.slice(from, from + count) ?? []] as const];
    });
    return { type: offered[offering] ?? 0, pods };
  });
}
