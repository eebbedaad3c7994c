import { CAPACITY_TYPE, CAPACITY_TYPES, INSTANCE_TYPE, ZONE } from '../../../apis/labels.ts';
import { placeFilter } from '../../instance-type/offerings/compatible-offerings.ts';
import { cheapestUsd } from '../../scheduling/schedule.ts';
import type { Candidate } from '../candidates.ts';
import { leastUsdPerHour } from '../consolidation/cheaper-claim.ts';
import { closedNodes } from '../consolidation/evaluate-move.ts';
import { isSpot } from '../consolidation/flexible-spot.ts';
import type { World } from '../method.ts';
import { type Found, foundWithout, isRefusedSpot } from './found.ts';
import { evictionPrice, type Group } from './groups.ts';

interface Tried {
  readonly found: Found | undefined;
  /** What is saved with the cheapest offerings, less what the evictions must save. */
  readonly gain: number;
}

const NOTHING: Tried = { found: undefined, gain: 0 };

type Try = (candidates: readonly Candidate[]) => Tried;

/**
 * Searches which nodes of a group to remove: the first ones, as many as save the most, without those that can take the place of a new
 * node. *Shape:* undefined if no number saves more than its evictions must. *Cost:* as many steps as two questions for the whole group,
 * twice as many if E24 requires a second order of the nodes, and up to ten more if something can be saved; none if bounds show that
 * nothing can be saved.
 */
export function bestOf(group: Group, world: World): Found | undefined {
  const { candidates, others } = group;
  if (candidates.reduce((sum, one) => sum + mostSaved(one, world), 0) <= 0) return undefined;
  const open = new Set([...candidates.map(({ stateNode }) => stateNode), ...others].map(({ name }) => name));
  const outside = world.candidates.nodes.flatMap(({ name }) => (open.has(name) ? [] : [name]));
  const protectedNodes = closedNodes(world).union(new Set(outside));
  const attempt: Try = (some) => {
    if (world.steps.left() < some.length) return NOTHING;
    world.steps.spend(some.length);
    return gainOf(foundWithout(some, world, protectedNodes), world);
  };
  const first = bestPrefix(candidates, attempt);
  const second = first.gain > 0 ? undefined : onDemandFirst(candidates, world);
  const best = second === undefined ? first : bestPrefix(second, attempt);
  return best.gain > 0 ? withoutSwaps(best, attempt).found : undefined;
}

/** E24: without the option, on-demand nodes may be replaced where the spot nodes beside them may not. *Shape:* undefined for one kind. */
function onDemandFirst(candidates: readonly Candidate[], { options }: World): readonly Candidate[] | undefined {
  const spot = candidates.filter(isSpot);
  const isMixed = spot.length > 0 && spot.length < candidates.length;
  if (!isMixed || options.spotToSpotConsolidation === true) return undefined;
  return [...candidates.filter((one) => !isSpot(one)), ...spot];
}

/** Tries all, half of them, a quarter and so on, and then numbers near the best. */
function bestPrefix(candidates: readonly Candidate[], attempt: Try): Tried {
  const known = new Map<number, Tried>();
  const tried = (count: number): Tried => {
    const made = known.get(count) ?? attempt(candidates.slice(0, count));
    known.set(count, made);
    return made;
  };
  let best = candidates.length;
  const tryCount = (count: number): void => {
    if (count >= 1 && count <= candidates.length && tried(count).gain > tried(best).gain) best = count;
  };
  for (let count = candidates.length; count >= 1; count = Math.floor(count / 2)) tryCount(count);
  if (tried(best).gain <= 0) return NOTHING;
  for (let stride = Math.ceil(best / 4); stride >= 1; stride = Math.floor(stride / 2)) {
    tryCount(best - stride);
    tryCount(best + stride);
  }
  return tried(best);
}

/** How many nodes of a group are tried in place of new ones. */
const MAX_SWAPS = 4;

/** E27: a node stays if a new node like it, which costs as much, would take its place: this needs fewer evictions. */
function withoutSwaps(start: Tried, attempt: Try): Tried {
  let best = start;
  const tried = new Set<Candidate>();
  while (tried.size < MAX_SWAPS) {
    const kept = best.found === undefined ? undefined : likeNew(best.found, tried);
    if (kept === undefined) return best;
    tried.add(kept);
    const without = attempt(best.found?.candidates.filter((one) => one !== kept) ?? []);
    if (without.gain > best.gain) best = without;
  }
  return best;
}

/** The last of the other candidates that a new node of the same type and place would replace at no lower price. */
function likeNew({ candidates, claims }: Found, others: ReadonlySet<Candidate>): Candidate | undefined {
  const offers = claims.map(({ instanceTypes, requirements, cheapest }) => ({
    types: new Set(instanceTypes.map(({ name }) => name)),
    meets: placeFilter(requirements),
    usdPerHour: cheapest.offering.priceUsdPerHour,
  }));
  return candidates.findLast((candidate) => {
    const { labels } = candidate.stateNode;
    const capacityType = CAPACITY_TYPES.find((one) => one === labels[CAPACITY_TYPE]);
    const place = { zone: labels[ZONE] ?? '', capacityType: capacityType ?? 'on-demand' };
    return (
      !others.has(candidate) &&
      offers.some(
        ({ types, meets, usdPerHour }) =>
          candidate.priceUsdPerHour <= usdPerHour && types.has(labels[INSTANCE_TYPE] ?? '') && meets(place),
      )
    );
  });
}

function gainOf(found: Found | undefined, world: World): Tried {
  if (found === undefined) return NOTHING;
  const { candidates, claims } = found;
  const spared = candidates.reduce((sum, one) => sum + one.priceUsdPerHour - evictionPrice(one, world), 0);
  const worst = claims.reduce((sum, claim) => sum + leastUsdPerHour(claim), 0);
  if (worst >= spared || isRefusedSpot(found, world)) return NOTHING;
  return { found, gain: spared - cheapestUsd(claims) };
}

/** What the removal of the node can save at most, beside its evictions. */
function mostSaved(candidate: Candidate, world: World): number {
  const least = world.bounds.priceOfHomeless(candidate.stateNode.name) + evictionPrice(candidate, world);
  return Math.max(0, candidate.priceUsdPerHour - least);
}
