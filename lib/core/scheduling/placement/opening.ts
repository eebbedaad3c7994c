import { chooseType, type Plan } from '../packing/choose-type.ts';
import type { FillerIndex } from '../packing/fillers.ts';
import { NODE_PRICE } from '../packing/goal.ts';
import { type Demand, suitsNewNode } from '../pods/demand.ts';
import { type Bitset, common, isEmptyBitset } from '../pools/bitset.ts';
import { inflexibility, lowered, type MinValues } from '../pools/min-values.ts';
import { holdLeast, limitsOf, withinLimits } from '../pools/pool-limits.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { isAvailable, type PoolTypeIndex, withPortsFree } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import { type KeyRules, newHostAnswer, onlyRepel } from '../topology/rules.ts';
import type { BacklogGroup } from './backlog.ts';
import { claimTolerates, type OpenClaim, openClaim, pinTo, pinToTarget, typesFor } from './open-claim.ts';
import { isUsedUp, reservedAnswer } from './reservations.ts';
import type { Deferral } from './why-deferred.ts';

export interface Asking {
  readonly run: Run;
  /** The group whose next pod the claim is for, and how that pod asks. */
  readonly head: BacklogGroup;
  readonly demand: Demand;
  readonly guestBook: FillerIndex;
}

/** A new claim that could be opened. */
export interface Opening {
  readonly kind: 'found';
  readonly types: PoolTypeIndex;
  readonly set: RequirementSet;
  readonly plan: Plan;
  readonly minValues: MinValues;
  /** B59: the reservations that it may be launched into; undefined where it is for other capacity. */
  readonly reservations: ReadonlySet<string> | undefined;
  /** Of the offering that it aims at, with what a node costs beside. */
  readonly priceUsdPerHour: number;
}

/** `forGood`: no later placement can change it. `deferred`: the pod waits for reserved capacity that others hold (B59). */
export type OpeningAnswer = Opening | { readonly kind: 'refused'; readonly forGood: boolean } | Deferred;

interface Deferred extends Deferral {
  readonly kind: 'deferred';
}

/**
 * A new claim of the heaviest pool that can have one for the pod (B12). B35: where it waits for reserved capacity of one
 * pool, lighter ones are not asked. Changes nothing.
 */
export function openingFor(asking: Asking): OpeningAnswer {
  let forGood = true;
  let found: Opening | undefined;
  for (const types of asking.run.pools) {
    const answer = openingIn(types, asking);
    if (answer.kind === 'deferred') return found ?? answer;
    if (answer.kind === 'refused') forGood &&= answer.forGood;
    // Pods that must share the host count for more than the weight: they could go nowhere else afterwards.
    else if (found === undefined || answer.plan.leftBehind < found.plan.leftBehind) found = answer;
    if (found?.plan.leftBehind === 0) return found;
  }
  return found ?? { kind: 'refused', forGood };
}

/** Opens it. */
export function openPlanned(run: Run, { types, set, plan, reservations: ids, minValues }: Opening): OpenClaim {
  const reservations = ids === undefined ? undefined : run.reservations.hold(ids);
  const claim = openClaim(run.nextHost(), types, { set, target: plan.target, reservations, minValues });
  holdLeast(run.limits, claim, typesFor(claim, run.limits));
  run.claims.push(claim);
  return claim;
}

function openingIn(types: PoolTypeIndex, asking: Asking): OpeningAnswer {
  const { run, demand } = asking;
  const { rules, podClass } = demand;
  if (!claimTolerates(types, podClass.pod.spec.tolerations)) return { kind: 'refused', forGood: true };
  if (newHostAnswer(rules.onHost) !== 'yes') return { kind: 'refused', forGood: false };
  let forGood = true;
  let deferred: Deferred | undefined;
  for (const ask of demand.asks) {
    const set = run.sets.join(types.set, ask.set);
    if (set === undefined || !suitsNewNode(ask)) continue;
    const fitting = types.fitting(demand.requests);
    if (!isAvailable(types, set, fitting)) {
      if (run.reservations.isStrict && isUsedUp(types, set, fitting)) deferred = { kind: 'deferred', types, set };
      continue;
    }
    forGood = false;
    const opened = openingWithAny(types, pinnings(run, rules.byKey, { types, set, fitting }), asking);
    if (opened?.kind === 'deferred') deferred = opened;
    else if (opened !== undefined) return opened;
  }
  return deferred ?? { kind: 'refused', forGood };
}

/** With the set that wastes least, of equals the first: all of them keep to the rules. Reserved capacity comes before (B59). */
function openingWithAny(
  types: PoolTypeIndex,
  sets: readonly RequirementSet[],
  asking: Asking,
): Opening | Deferred | undefined {
  let best: Opening | undefined;
  for (const set of sets) {
    const opened = openingWith(types, set, asking);
    if (opened?.kind === 'deferred') return best ?? opened;
    if (opened !== undefined && (best === undefined || opened.plan.waste < best.plan.waste - TINY)) best = opened;
  }
  return best;
}

const TINY = 1e-9;

/** A few labels with a few domains each; more are not tried. */
const MAX_PINNINGS = 64;

/** The set with each label that the pod's own rules choose narrowed to one domain, the best first. */
function pinnings(
  run: Run,
  byKey: readonly KeyRules[],
  { types, set, fitting }: { readonly types: PoolTypeIndex; readonly set: RequirementSet; readonly fitting: Bitset },
): readonly RequirementSet[] {
  let sets: readonly RequirementSet[] = [set];
  for (const keyRules of byKey) {
    if (keyRules.rules.length === 0) continue;
    const { order } = run.allowance(keyRules);
    const choices = keyRules.pins ? order.map((domain) => [domain]) : [order];
    const isWithout = (one: RequirementSet): boolean => keyRules.key.openTo(one).length === 0 && onlyRepel(keyRules);
    sets = sets
      .flatMap((one) =>
        isWithout(one)
          ? [one]
          : choices.flatMap((domains) => pinTo(run.sets, one, { key: keyRules.key, domains }) ?? []),
      )
      .filter((one, _, all) => all.length <= MAX_PINNINGS || isAvailable(types, one, fitting))
      .slice(0, MAX_PINNINGS);
  }
  return sets;
}

function openingWith(types: PoolTypeIndex, asked: RequirementSet, asking: Asking): Opening | Deferred | undefined {
  const { run, demand, head, guestBook } = asking;
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
  const plan = chooseType({ types, set, candidates, isLimited, head, demand, guestBook, goal: run.goal });
  if (plan === undefined) return undefined;
  const pinned = pinToTarget({ types, target: plan.target }, { set, demand, context: run });
  if (pinned === undefined) return undefined;
  // B24: a claim for reserved capacity is judged by what it could have been beside.
  const judged = types.selectionFor(reservations === undefined ? pinned : asked);
  const among = common(judged.types, reservations === undefined ? candidates : all);
  const isStrict = run.options.minValuesPolicy !== 'BestEffort';
  const { minValues } = types.template;
  if (isStrict && inflexibility(minValues, types, among) !== undefined) return undefined;
  const priceUsdPerHour = (types.selectionFor(pinned).market.prices[plan.target.type] ?? 0) + NODE_PRICE;
  const kept = isStrict ? minValues : lowered(minValues, types, among);
  return { kind: 'found', types, set: pinned, plan, reservations, minValues: kept, priceUsdPerHour };
}

/** The types that hold the pod, within the pool's limits, with its host ports free. */
function candidatesFor(
  types: PoolTypeIndex,
  set: RequirementSet,
  { run, demand }: Asking,
): { readonly candidates: Bitset; readonly isLimited: boolean } {
  const roomy = common(types.selectionFor(set).types, types.fitting(demand.requests));
  const within = withinLimits(types, roomy, limitsOf(run.limits, types));
  const candidates = withPortsFree(types, within, demand.podClass.ports);
  return { candidates, isLimited: roomy.some((word, at) => word !== candidates[at]) };
}
