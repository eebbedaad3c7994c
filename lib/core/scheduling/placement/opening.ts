import { doubtedPlaces } from '../../instance-type/offerings/compatible-offerings.ts';
import { cheapestPlan, chooseType, type Plan } from '../packing/choose-type.ts';
import type { FillerIndex } from '../packing/fillers.ts';
import { NODE_PRICE } from '../packing/goal.ts';
import { type Demand, suitsNewNode } from '../pods/demand.ts';
import { type Bitset, common, isEmptyBitset } from '../pools/bitset.ts';
import { inflexibility, lowered, type MinValues } from '../pools/min-values.ts';
import { holdMinimum, limitsOf, withinLimits } from '../pools/pool-limits.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { takeFrom, type Vector } from '../pools/resource-space.ts';
import { isAvailable, type PoolTypeIndex, withFreePorts } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import { newHostAnswer } from '../topology/rules.ts';
import type { BacklogGroup } from './backlog.ts';
import { claimTolerates, type OpenClaim, openClaim, pinToTarget, typesFor } from './open-claim.ts';
import { pinnings } from './pinnings.ts';
import { costsTooMuch } from './preference-cost.ts';
import { whyTooExpensive } from './price-guard.ts';
import { isUsedUp, reservedAnswer } from './reservations.ts';
import type { Deferral } from './why-deferred.ts';

export interface Asking {
  readonly run: Run;
  /** The group for whose next pod the claim is opened, and the demand of this pod. */
  readonly primary: BacklogGroup;
  readonly demand: Demand;
  readonly fillerIndex: FillerIndex;
  /** C35: the requirements to which the guard applies, if only doubted offerings within them are asked for. @default those of the claim */
  readonly guarded?: RequirementSet;
}

/** A new claim that could be opened. */
export interface Opening {
  readonly kind: 'found';
  readonly types: PoolTypeIndex;
  readonly set: RequirementSet;
  readonly plan: Plan;
  readonly minValues: MinValues;
  /** B59: the reservations that it may be launched into; undefined for other capacity. */
  readonly reservations: ReadonlySet<string> | undefined;
  /** As in `OpenClaim`. */
  readonly guarded: RequirementSet | undefined;
  /** The price of the target offering plus NODE_PRICE. */
  readonly priceUsdPerHour: number;
  /** B69: whether it is in a domain that is to be used if possible (`evenDomains`). */
  readonly isEven: boolean;
}

/** Before it is known whether a domain could be preferred. */
type FoundOpening = Omit<Opening, 'isEven'>;

/** `permanent`: no later placement can change it. `deferred`: the pod waits for reserved capacity that other claims hold (B59). */
export type OpeningAnswer = Opening | { readonly kind: 'refused'; readonly permanent: boolean } | Deferred;

interface Deferred extends Deferral {
  readonly kind: 'deferred';
}

/**
 * A new claim of the pool with the highest weight that can have one for the pod (B12). B35: if the pod waits for reserved
 * capacity of a pool, pools with lower weight are not tried. Has no side effects.
 */
export function openingFor(asking: Asking): OpeningAnswer {
  let permanent = true;
  let found: Opening | undefined;
  for (const types of asking.run.pools) {
    const answer = openingIn(types, asking);
    if (answer.kind === 'deferred') return found ?? answer;
    if (answer.kind === 'refused') permanent &&= answer.permanent;
    // Room for pods that must share the host has priority over the weight: no other host could run them later.
    else if (found === undefined || answer.plan.missing < found.plan.missing) found = answer;
    if (found?.plan.missing === 0) return found;
  }
  return found ?? { kind: 'refused', permanent };
}

/** Opens the claim. */
export function openPlanned(run: Run, { types, set, plan, reservations: ids, minValues, guarded }: Opening): OpenClaim {
  const reservations = ids === undefined ? undefined : run.reservations.hold(ids);
  const claim = openClaim(run.nextHost(), types, { set, target: plan.target, reservations, minValues, guarded });
  holdMinimum(run.limits, claim, typesFor(claim, run.limits));
  run.claims.push(claim);
  return claim;
}

function openingIn(types: PoolTypeIndex, asking: Asking): OpeningAnswer {
  const { run, demand } = asking;
  const { rules, podClass } = demand;
  if (!claimTolerates(types, podClass.pod.spec.tolerations)) return { kind: 'refused', permanent: true };
  if (newHostAnswer(rules.onHost) !== 'yes') return { kind: 'refused', permanent: false };
  let permanent = true;
  let deferred: Deferred | undefined;
  for (const alternative of demand.alternatives) {
    const set = run.sets.join(types.set, alternative.set);
    if (set === undefined || !suitsNewNode(alternative)) continue;
    const fitting = types.fitting(demand.requests);
    if (!isAvailable(types, set, fitting)) {
      if (run.reservations.isStrict && isUsedUp(types, set, fitting)) deferred = { kind: 'deferred', types, set };
      continue;
    }
    permanent = false;
    const sets = pinnings(run, rules.byKey, { types, set, fitting });
    if (costsTooMuch(run, { types, primary: asking.primary, demand, sets, fitting })) continue;
    const isCounted = rules.byKey.some(({ countedBy }) => countedBy.length > 0);
    const even = isCounted ? pinnings(run, rules.byKey, { types, set, fitting, evenly: true }) : [];
    const openedEvenly = openingWithAny(types, even, asking);
    const opened = openedEvenly ?? openingWithAny(types, sets, asking);
    if (opened?.kind === 'deferred') deferred = opened;
    else if (opened !== undefined) return { ...opened, isEven: !isCounted || opened === openedEvenly };
  }
  return deferred ?? { kind: 'refused', permanent };
}

/** The claim with the least waste; ties by the order of the sets. All sets satisfy the rules. Reserved capacity has priority (B59). */
function openingWithAny(
  types: PoolTypeIndex,
  sets: readonly RequirementSet[],
  asking: Asking,
): FoundOpening | Deferred | undefined {
  let best: FoundOpening | undefined;
  for (const set of sets) {
    const opened = openingWith(types, set, asking);
    if (opened?.kind === 'deferred') return best ?? opened;
    if (opened !== undefined && (best === undefined || opened.plan.waste < best.plan.waste - EPSILON)) best = opened;
  }
  return best;
}

const EPSILON = 1e-9;

function openingWith(types: PoolTypeIndex, asked: RequirementSet, asking: Asking): FoundOpening | Deferred | undefined {
  const { run, demand, primary, fillerIndex } = asking;
  const { candidates: all, isLimited } = candidatesFor(types, asked, asking);
  if (isEmptyBitset(all)) {
    if (isLimited && demand.podClass.ports.length === 0) run.exhausted.add(types);
    return undefined;
  }
  const reserved = reservedAnswer(run, types, { set: asked, candidates: all });
  if (reserved.kind === 'deferred') return { kind: 'deferred', types, set: asked };
  if (reserved.kind === 'refused') return undefined;
  const { set, ids: reservations } = reserved;
  const candidates = set === asked ? all : common(all, types.selectionFor(set).types);
  const chosen = chooseType({ types, set, candidates, isLimited, primary, demand, fillerIndex, goal: run.goal });
  const isReserved = reservations !== undefined;
  const plan = isReserved ? chosen : planWithinGuard(chosen, { types, set, candidates }, asking);
  if (plan === undefined) {
    if (chosen === undefined || asking.guarded !== undefined) return undefined;
    return openingWithAny(types, doubtedSets(run, types, set), { ...asking, guarded: set });
  }
  const pinned = pinToTarget({ types, target: plan.target }, { set, demand, context: run });
  if (pinned === undefined) return undefined;
  // B24: for a claim for reserved capacity, minValues apply to the types without the reservation.
  const judged = types.selectionFor(reservations === undefined ? pinned : asked);
  const among = common(judged.types, reservations === undefined ? candidates : all);
  const isStrict = run.options.minValuesPolicy !== 'BestEffort';
  const { minValues } = types.template;
  if (isStrict && inflexibility(minValues, types, among) !== undefined) return undefined;
  const priceUsdPerHour = (types.selectionFor(pinned).market.prices[plan.target.type] ?? 0) + NODE_PRICE;
  const kept = isStrict ? minValues : lowered(minValues, types, among);
  const { guarded } = asking;
  return { kind: 'found', types, set: pinned, plan, reservations, guarded, minValues: kept, priceUsdPerHour };
}

/** C35: the set narrowed to where offerings are doubted, which are used if the guard refuses all others. */
export function doubtedSets(
  run: Pick<Run, 'sets'>,
  { types }: PoolTypeIndex,
  set: RequirementSet,
): readonly RequirementSet[] {
  return doubtedPlaces(types).flatMap((place) => {
    const narrowed = run.sets.join(set, run.sets.intern(place));
    return narrowed === undefined || narrowed === set ? [] : [narrowed];
  });
}

/** The plan, or a node for the pod alone if the guard of the pool refuses the plan. */
function planWithinGuard(
  chosen: Plan | undefined,
  {
    types,
    set,
    candidates,
  }: { readonly types: PoolTypeIndex; readonly set: RequirementSet; readonly candidates: Bitset },
  { run, demand, primary, guarded = set }: Asking,
): Plan | undefined {
  if (chosen === undefined || types.usual() === types) return chosen;
  const { prices } = types.selectionFor(set).market;
  const isAffordable = (plan: Plan): boolean => {
    const priceUsdPerHour = prices[plan.target.type] ?? 0;
    const demands = new Map(plan.pattern.map(({ group, count }) => [group === primary ? demand : group.demand, count]));
    const node = { demands, requests: requestsOf(plan, demand), set: guarded, priceUsdPerHour };
    return whyTooExpensive(run, types, node) === undefined;
  };
  const plans = [chosen, cheapestPlan({ candidates, primary }, types.selectionFor(set))];
  return plans.find((plan) => plan !== undefined && isAffordable(plan));
}

/** The requests of the pods of the plan. */
export function requestsOf({ pattern }: Plan, { requests }: Demand): Vector {
  const sum = new Float64Array(requests.length);
  for (const { group, count } of pattern) takeFrom(sum, group.demand.requests, -count);
  return sum;
}

/** The types on which the pod fits, within the pool's limits, and with free host ports. */
function candidatesFor(
  types: PoolTypeIndex,
  set: RequirementSet,
  { run, demand }: Asking,
): { readonly candidates: Bitset; readonly isLimited: boolean } {
  const roomy = common(types.selectionFor(set).types, types.fitting(demand.requests));
  const within = withinLimits(types, roomy, limitsOf(run.limits, types));
  const candidates = withFreePorts(types, within, demand.podClass.ports);
  return { candidates, isLimited: roomy.some((word, at) => word !== candidates[at]) };
}
