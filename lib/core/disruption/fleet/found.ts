import { CAPACITY_TYPE } from '../../../apis/labels.ts';
import type { Candidate } from '../candidates.ts';
import { mayBe } from '../consolidation/cheaper-claim.ts';
import { type Places, placesIn } from '../consolidation/evaluate-move.ts';
import type { World } from '../method.ts';

/** Nodes, and where their pods go if they are removed. */
export interface Found extends Places {
  readonly candidates: readonly Candidate[];
}

/** Where the pods of the nodes go. *Shape:* undefined if the nodes must stay. */
export function foundWithout(
  candidates: readonly Candidate[],
  world: World,
  protectedNodes: ReadonlySet<string>,
): Found | undefined {
  const names = candidates.map(({ stateNode }) => stateNode.name);
  const places = placesIn(world.whatIf(names, { protectedNodes }), names, world);
  return 'reason' in places ? undefined : { ...places, candidates };
}

/** E24: whether spot nodes would only be replaced by spot nodes, which an option must allow. */
export function isOnlySpot({ candidates, claims }: Pick<Found, 'candidates' | 'claims'>, { options }: World): boolean {
  if (options.spotToSpotConsolidation === true) return false;
  return (
    candidates.every(({ stateNode }) => stateNode.labels[CAPACITY_TYPE] === 'spot') &&
    claims.some(({ requirements }) => mayBe(requirements).has('spot'))
  );
}
