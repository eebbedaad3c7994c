import type { Demand } from '../pods/demand.ts';
import { conflictingPort } from '../pods/host-ports.ts';
import { common, has, isEmptyBitset, keepCommon } from '../pools/bitset.ts';
import { inflexibility } from '../pools/min-values.ts';
import { holdMinimum, typesWithin } from '../pools/pool-limits.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { plus, type Vector } from '../pools/resource-space.ts';
import { withFreePorts } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import { hostAnswer } from '../topology/rules.ts';
import {
  claimTolerates,
  isCrowded,
  joinedSet,
  type OpenClaim,
  pinToTarget,
  priceOf,
  retarget,
  type Target,
  typesFor,
} from './open-claim.ts';
import { whyTooExpensive } from './price-guard.ts';

/** A claim with a larger target offering, so that more pods can join. */
export interface Growth {
  readonly claim: OpenClaim;
  readonly target: Target;
  /** The requirements of the claim with the first of the pods on it. */
  readonly set: RequirementSet;
  /** The price increase of the claim, in USD per hour. */
  readonly priceUsdPerHour: number;
}

interface Joining {
  readonly demand: Demand;
  readonly requests: Vector;
  /** As in `pinToTarget`. @default false */
  readonly evenly?: boolean;
  /** The price increase, in USD per hour, from which a growth is of no use. @default none */
  readonly belowUsdPerHour?: number;
}

/** The cheapest offering of the claim that has room for these requests and allows a pod of the demand. Has no side effects. */
export function growthOf(run: Run, claim: OpenClaim, joining: Joining): Growth | undefined {
  const { demand } = joining;
  const { podClass, rules } = demand;
  if (!claimTolerates(claim.types, podClass.pod.spec.tolerations)) return undefined;
  if (hostAnswer(rules.onHost, claim.index) !== 'yes') return undefined;
  if (podClass.ports.length > 0 && conflictingPort(podClass.ports, claim.ports) !== undefined) return undefined;
  for (const { set: asked } of demand.alternatives) {
    const set = joinedSet(claim, { demand, asked }, run);
    const growth = set === undefined ? undefined : largerTarget(run, claim, { ...joining, set });
    if (growth !== undefined) return growth;
  }
  return undefined;
}

function largerTarget(
  run: Run,
  claim: OpenClaim,
  { demand, requests, set, evenly = false, belowUsdPerHour = Infinity }: Joining & { readonly set: RequirementSet },
): Growth | undefined {
  const { types } = claim;
  const selection = types.selectionFor(set);
  const { byPrice, prices, bestCells } = selection.market;
  const all = plus(claim.requests, requests);
  const first = types.firstFitting(byPrice, all);
  const usdPerHour = priceOf(claim);
  const increaseTo = (type: number | undefined): number => (prices[type ?? -1] ?? Infinity) - usdPerHour;
  if (increaseTo(byPrice[first]) >= belowUsdPerHour) return undefined;
  const roomy = common(selection.types, types.fitting(all));
  const within = typesWithin(run.limits, claim);
  if (within !== undefined) keepCommon(roomy, within);
  if (isEmptyBitset(roomy)) return undefined;
  const fitting = withFreePorts(types, roomy, [...claim.ports, ...demand.podClass.ports]);
  const isRigid = claim.minValues.length > 0 && claim.reservations === undefined;
  const demands = new Map(claim.demands).set(demand, (claim.demands.get(demand) ?? 0) + 1);
  for (let at = first; at < byPrice.length; at += 1) {
    const type = byPrice[at] ?? 0;
    // Later types cost more.
    if (increaseTo(type) >= belowUsdPerHour) return undefined;
    if (!has(fitting, type)) continue;
    const target = { type, cell: bestCells[type] ?? 0 };
    const pinned = pinToTarget({ types, target }, { set, demand, context: run, evenly });
    const { guarded } = claim;
    const node = { demands, requests: all, set, guarded, priceUsdPerHour: prices[type] ?? 0 };
    if (claim.reservations === undefined && whyTooExpensive(run, types, node) !== undefined) return undefined;
    if (pinned === undefined) continue;
    const among = isRigid ? common(types.selectionFor(pinned).types, fitting) : fitting;
    if (!isRigid || inflexibility(claim.minValues, types, among) === undefined)
      return { claim, target, set: pinned, priceUsdPerHour: increaseTo(type) };
  }
  return undefined;
}

/** Changes the target of the claim. */
export function applyGrowth(run: Run, { claim, target }: Growth): void {
  retarget(claim, target);
  holdMinimum(run.limits, claim, typesFor(claim, run.limits));
}

/** The number of claims that are considered. The claims that were opened last have the most room to grow. */
const MAX_CLAIMS = 24;

/** The claim, among the last opened, with the smallest price increase for these requests, if it is below the price. */
export function cheapestGrowth(run: Run, joining: Joining & { readonly belowUsdPerHour: number }): Growth | undefined {
  let best: Growth | undefined;
  for (const claim of run.claims.slice(-MAX_CLAIMS)) {
    if (isCrowded(claim, joining.demand)) continue;
    const belowUsdPerHour = best?.priceUsdPerHour ?? joining.belowUsdPerHour;
    best = growthOf(run, claim, { ...joining, evenly: true, belowUsdPerHour }) ?? best;
  }
  return best;
}
