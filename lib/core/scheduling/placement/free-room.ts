import { CPU, MEMORY } from '../pools/resource-space.ts';
import type { Run } from '../run.ts';
import type { BacklogGroup } from './backlog.ts';
import { type OpenClaim, priceOf } from './open-claim.ts';

/**
 * The price of the room that is left beside the pods that were placed last (B68), as a share of the price of all new claims: others could be
 * there if they came later. *Cost:* O(classes of pods by claim).
 */
export function freeShare({ claims }: Run, backlog: readonly BacklogGroup[]): number {
  const last = new Set(backlog.flatMap(({ demand, turn }) => (turn === 'spread-last' ? [demand] : [])));
  let [free, all] = [0, 0];
  for (const claim of claims) {
    const price = priceOf(claim);
    all += price;
    if ([...claim.demands.keys()].some((demand) => last.has(demand))) free += price * freeShareOf(claim);
  }
  return all === 0 ? 0 : free / all;
}

/** Of cpu or memory, of which less is left. */
function freeShareOf({ types, target, room }: OpenClaim): number {
  const shares = [CPU, MEMORY].map((at) => (room[at] ?? 0) / (types.rooms[target.type]?.[at] ?? 1));
  return Math.min(...shares);
}
