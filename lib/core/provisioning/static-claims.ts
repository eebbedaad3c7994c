import type { StateNode } from '../cluster/state-node.ts';
import { lastFor, once, onceFor } from '../kept-answers.ts';
import type { NodePoolView } from '../model/cluster-snapshot.ts';
import { type Refusal, refusal } from '../model/refusal.ts';
import type { SchedulingOptions } from '../model/scheduling-options.ts';
import { doubtedSets } from '../scheduling/placement/opening.ts';
import { offeringOf, typesByPrice } from '../scheduling/placement/planned-node-claims.ts';
import { multiple, whyAboveGuard } from '../scheduling/placement/price-guard.ts';
import {
  freeReservations,
  onlyReserved,
  type ReservationLedger,
  reservationLedger,
  reservationsIn,
  reservedAnswer,
} from '../scheduling/placement/reservations.ts';
import { whyNoInstance } from '../scheduling/placement/why-deferred.ts';
import { whyFewValues } from '../scheduling/placement/why-unplaced.ts';
import { lowered, withMinValues } from '../scheduling/pools/min-values.ts';
import { type RequirementSet, type RequirementSets, requirementSets } from '../scheduling/pools/requirement-sets.ts';
import type { Vector } from '../scheduling/pools/resource-space.ts';
import { nodeClaimTemplate } from '../scheduling/pools/template.ts';
import { cheapestOf, lowestPrice, type PoolTypeIndex, typeIndex } from '../scheduling/pools/type-index.ts';
import type { PlannedNodeClaim } from '../scheduling/schedule.ts';

/** Claims for no pods, one after the other. They share the free instances of reservations. */
export interface StaticClaims {
  /** The next claim of the NodePool. It may be launched as any of its types, or into one reservation (B59). Has no side effects. */
  next(nodePool: NodePoolView): PlannedNodeClaim | Refusal;
  /** Takes the instance of its reservation, for the claims after it. */
  hold(claim: Pick<PlannedNodeClaim, 'requirements'>): void;
}

interface Asked {
  /** The NodePools whose claims are asked for. */
  readonly nodePools: readonly NodePoolView[];
  /** Nodes and claims in flight. */
  readonly nodes: readonly StateNode[];
  readonly options: SchedulingOptions;
}

/** *Cost:* O(instance types) for each NodePool and reservation, then O(reservations) for each claim. */
export function staticClaims({ nodePools, nodes, options }: Asked): StaticClaims {
  const sets = requirementSets();
  const space = { names: [], volumes: { roomFor: () => undefined } };
  const usable = nodePools.filter(({ unusable }) => unusable === undefined);
  const typesOf = onceFor((view: NodePoolView) => typeIndex(nodeClaimTemplate(view, []), sets, space));
  // Claims with the same requirements are the same one.
  const claimOf = lastFor(claimIn);
  const reservations = once(() =>
    reservationLedger(freeReservations(usable.map(typesOf), nodes), options.reservedFallback !== true),
  );
  return {
    next(view) {
      const { unusable } = view;
      if (unusable !== undefined) return refusal(unusable.reason, unusable.message);
      const types = typesOf(view);
      const set = nextSet(types, { sets, reservations: reservations() });
      return 'reason' in set ? set : claimOf(set, { types, sets, options });
    },
    hold: ({ requirements }) => void reservations().hold(new Set(reservationsIn(requirements))),
  };
}

/** What the pods of a claim request. */
function nothing(): Vector {
  return new Float64Array();
}

/** The requirements of the next claim: the cheapest reservation with a free instance, or other capacity. */
function nextSet(
  types: PoolTypeIndex,
  run: { readonly sets: RequirementSets; readonly reservations: ReservationLedger },
): RequirementSet | Refusal {
  const { set } = types;
  const answer = reservedAnswer(run, types, { set, candidates: types.fitting(nothing()) });
  if (answer.kind === 'unreserved') return answer.set;
  if (answer.kind !== 'reserved') return whyNoInstance({ types, set }, nothing(), 'the new node');
  // No pods decide which reservations fit, so the others are left to other claims.
  const id = cheapestIn(types, answer.set)?.offering.reservation?.id;
  return (id === undefined ? undefined : onlyReserved(run.sets, set, new Set([id]))) ?? answer.set;
}

function cheapestIn(types: PoolTypeIndex, set: RequirementSet): PlannedNodeClaim['cheapest'] | undefined {
  const { types: available, market } = types.selectionFor(set);
  const type = cheapestOf(available, market);
  return type === undefined ? undefined : offeringOf({ types, target: { type, cell: market.bestCells[type] ?? 0 } });
}

interface Claimed {
  readonly types: PoolTypeIndex;
  readonly sets: RequirementSets;
  readonly options: SchedulingOptions;
}

/** The claim with these requirements, within the guard of the NodePool. Reserved capacity has none. */
function claimIn(asked: RequirementSet, { types, sets, options }: Claimed): PlannedNodeClaim | Refusal {
  const { template } = types;
  const isReserved = cheapestIn(types, asked)?.offering.reservation !== undefined;
  const usualUsdPerHour = isReserved ? Number.POSITIVE_INFINITY : priceIn(types.usual(), asked);
  const whyAbove = (one: RequirementSet): Refusal | undefined =>
    whyAboveGuard(types, priceIn(types, one), usualUsdPerHour);
  // C35: doubted offerings are used if all others cost too much.
  const set = [asked, ...doubtedSets({ sets }, types, asked)].find((one) => whyAbove(one) === undefined) ?? asked;
  const cheapest = cheapestIn(types, set);
  if (cheapest === undefined) return refusal('NoOffering', 'no instance type of the pool has an available offering');
  // B24: for a claim for reserved capacity, minValues apply to the types without the reservation.
  const judged = isReserved ? types.set : set;
  const among = types.selectionFor(judged).types;
  const few = whyFewValues(types, { set: judged, requests: {}, among });
  const why = whyAbove(set) ?? (options.minValuesPolicy === 'BestEffort' ? undefined : few);
  if (why !== undefined) return why;
  const { requirements } = set;
  const isRelaxed = !isReserved && few !== undefined;
  return {
    name: 'planned-1',
    template,
    pods: [],
    maxPriceUsdPerHour: multiple(template.maxPriceFactor, usualUsdPerHour),
    requirements: isRelaxed ? withMinValues(requirements, lowered(template.minValues, types, among)) : requirements,
    instanceTypes: typesByPrice(types, types.selectionFor(set)),
    cheapest,
    requests: {},
    minValuesRelaxed: isRelaxed,
  };
}

function priceIn(types: PoolTypeIndex, set: RequirementSet): number {
  return lowestPrice(types, set, types.fitting(nothing()));
}
