import { NODE_PRICE } from '../../packing/goal.ts';
import type { Demand } from '../../pods/demand.ts';
import { common } from '../../pools/bitset.ts';
import { minus, takeFrom, type Vector } from '../../pools/resource-space.ts';
import { cheapestOf, withFreePorts } from '../../pools/type-index.ts';
import type { Run } from '../../run.ts';
import type { BacklogGroup } from '../backlog.ts';
import type { OpenClaim } from '../open-claim.ts';
import { isReplaceable, type PlannedNode, podsByDemand, podsOn, replaceClaims } from './replace-claims.ts';

/** With more pods, one node is little of the price. */
const MAX_PODS = 300;
/** Up to this many pods of a claim, one of them can be most of its price. */
const MAX_PODS_OF_CLAIM = 15;
const EPSILON = 1e-9;

/**
 * Gives pods a claim of their own where this costs less than the room for them: the type of a claim is chosen for the pods that may fill it,
 * and few of them may be left. *Shape:* the same pods on new claims. The price is never higher. *Cost:* O(claims × classes of pods by claim).
 */
export function splitClaims(run: Run, backlog: readonly BacklogGroup[]): void {
  if (run.goal.target !== 'cost' || podsOn(run.claims) > MAX_PODS) return;
  const demands = new Set(backlog.map(({ demand }) => demand));
  const splittable = run.claims.filter((claim) => isSplittable(claim, demands));
  for (const claim of splittable) {
    const alone = podsAlone(claim);
    if (alone.length > 0) split(run, claim, { alone, backlog });
  }
}

/** Whether each of its pods may be on another new claim with its requirements. A demand that no group has is relaxed. */
function isSplittable(claim: OpenClaim, known: ReadonlySet<Demand>): boolean {
  const { set, pods, demands } = claim;
  if (!isReplaceable(claim) || pods.length < 2 || pods.length > MAX_PODS_OF_CLAIM) return false;
  return [...demands.keys()].every(
    (demand) =>
      known.has(demand) &&
      demand.attachments.size === 0 &&
      demand.rules.onHost.every(({ kind }) => kind !== 'attract') &&
      // Otherwise the claims could be launched in different domains.
      demand.rules.byKey.every(({ key }) => key.openTo(set).length === 1),
  );
}

/** The demands of pods that cost less on a claim of their own: one at a time, the one that saves the most. */
function podsAlone(claim: OpenClaim): readonly Demand[] {
  const left = new Map(claim.demands);
  const alone: Demand[] = [];
  let { requests } = claim;
  while (alone.length < claim.pods.length - 1) {
    const usd = usdFor(claim, requests);
    if (!Number.isFinite(usd)) break;
    let best: Demand | undefined;
    let most = EPSILON;
    for (const [demand, count] of left) {
      if (count === 0) continue;
      const apart = usdFor(claim, minus(requests, demand.requests)) + usdFor(claim, demand.requests) + NODE_PRICE;
      if (usd - apart > most) [best, most] = [demand, usd - apart];
    }
    if (best === undefined) break;
    alone.push(best);
    left.set(best, (left.get(best) ?? 0) - 1);
    requests = minus(requests, best.requests);
  }
  return alone;
}

/** The lowest price of a node with the requirements of the claim and this room. */
function usdFor(claim: OpenClaim, requests: Vector): number {
  const type = typeFor(claim, requests);
  const { prices } = claim.types.selectionFor(claim.set).market;
  return type === undefined ? Number.POSITIVE_INFINITY : (prices[type] ?? Number.POSITIVE_INFINITY);
}

function typeFor({ types, set, ports }: OpenClaim, requests: Vector): number | undefined {
  const selection = types.selectionFor(set);
  return cheapestOf(withFreePorts(types, common(selection.types, types.fitting(requests)), ports), selection.market);
}

/** Opens a claim for each of these pods, and one for the others. */
function split(
  run: Run,
  claim: OpenClaim,
  { alone, backlog }: { readonly alone: readonly Demand[]; readonly backlog: readonly BacklogGroup[] },
): void {
  const podsOf = podsByDemand([claim], claim.demands.keys(), backlog);
  const singles = alone.map((demand) => [[demand, podsOf.get(demand)?.splice(0, 1) ?? []] as const]);
  const rest = [...podsOf].filter(([, pods]) => pods.length > 0);
  const nodes = [rest, ...singles].flatMap((pods): readonly PlannedNode[] => {
    const requests = new Float64Array(claim.requests.length);
    for (const [demand, { length }] of pods) takeFrom(requests, demand.requests, -length);
    const type = typeFor(claim, requests);
    return type === undefined ? [] : [{ type, pods }];
  });
  if (nodes.length === alone.length + 1) replaceClaims(run, [claim], { types: claim.types, set: claim.set, nodes });
}
