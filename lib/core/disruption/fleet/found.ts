import type { Candidate } from '../candidates.ts';
import { mayBeSpot } from '../consolidation/cheaper-claim.ts';
import { type Places, placesIn } from '../consolidation/evaluate-move.ts';
import { isSpot } from '../consolidation/flexible-spot.ts';
import type { World } from '../method.ts';

/** Nodes, and where their pods go if they are removed. */
export interface Found extends Places {
  readonly candidates: readonly Candidate[];
  /** The nodes to which no pods are moved. */
  readonly protectedNodes: ReadonlySet<string>;
}

/** Where the pods of the nodes go. *Shape:* undefined if the nodes must stay. */
export function foundWithout(
  candidates: readonly Candidate[],
  world: World,
  protectedNodes: ReadonlySet<string>,
): Found | undefined {
  const names = candidates.map(({ stateNode }) => stateNode.name);
  const places = placesIn(world.whatIf(names, { protectedNodes }), names, world);
  return 'reason' in places ? undefined : { ...places, candidates, protectedNodes };
}

/** The names of the nodes whose pods need the new nodes. */
export function replacedBy(claims: Found['claims']): ReadonlySet<string> {
  return new Set(claims.flatMap(({ pods }) => pods.map(({ spec }) => spec.nodeName ?? '')));
}

type Replaced = Pick<Found, 'candidates' | 'claims'>;

/** How many spot nodes are replaced, and how many spot nodes take their place. */
export interface SpotForSpot {
  readonly old: number;
  readonly new: number;
}

/**
 * E24: counts the nodes whose pods need new nodes. One new spot node takes the place of each on-demand node, alone or together with spot
 * nodes, as in Karpenter's moves of several nodes. The other new spot nodes take the place of spot nodes. *Shape:* no new ones without
 * old ones.
 */
export function spotForSpot({ candidates, claims }: Replaced): SpotForSpot {
  const names = replacedBy(claims);
  const replaced = candidates.filter(({ stateNode }) => names.has(stateNode.name));
  const old = replaced.filter(isSpot).length;
  return { old, new: old === 0 ? 0 : claims.filter(mayBeSpot).length - (replaced.length - old) };
}

/** E24: whether spot nodes would be replaced by spot nodes, which an option must allow. */
export function isRefusedSpot(found: Replaced, { options }: World): boolean {
  return options.spotToSpotConsolidation !== true && spotForSpot(found).new > 0;
}
