import type { PlannedNodeClaim } from '../../scheduling/schedule.ts';
import { cheapestUsd } from '../../scheduling/schedule.ts';
import type { Candidate } from '../candidates.ts';
import { cheaperClaims, mayBeSpot, whyInflexible } from '../consolidation/cheaper-claim.ts';
import { flexibleSpot } from '../consolidation/flexible-spot.ts';
import { priceOf } from '../cost.ts';
import type { EvaluatedMove, World } from '../method.ts';
import { type Found, foundWithout, isRefusedSpot, replacedBy, spotForSpot } from './found.ts';
import { evictionPrice } from './groups.ts';

/** Whether the move is allowed, and saves enough for its evictions. */
type IsWorthIt = (move: EvaluatedMove, world: World) => boolean;

/** Moves one after the other, and the cluster after them. */
interface Moved {
  readonly moves: readonly EvaluatedMove[];
  readonly after: World;
}

/**
 * What was found as two moves that are valid one after the other: nodes whose pods need no new node are deleted, and then the others are
 * replaced. *Shape:* one move if it saves more, as the nodes that are deleted may pay for the new nodes of the others; without a move that
 * saves too little, or that E24 refuses. *Cost:* two questions to `whatIf` if there are nodes of both kinds.
 */
export function movesOf(found: Found, world: World, isWorthIt: IsWorthIt): Moved {
  const whole = moveOf(found, world);
  const parts = partsOf(found, world, isWorthIt);
  const isBetter = whole !== undefined && whole.savingsUsdPerHour > savingsOf(parts.moves) + EPSILON;
  return isBetter && isWorthIt(whole, world) ? { moves: [whole], after: world.after(whole) } : parts;
}

const EPSILON = 1e-9;

function savingsOf(moves: readonly EvaluatedMove[]): number {
  return moves.reduce((sum, { savingsUsdPerHour }) => sum + savingsUsdPerHour, 0);
}

/**
 * The moves one after the other, each with the places that its pods have in the cluster before it. Affinity or spread may bind a pod that
 * moves first to pods of the nodes that are replaced later: then it has another place, or none. *Shape:* empty for nodes of one kind.
 */
function partsOf({ claims, candidates, protectedNodes }: Found, world: World, isWorthIt: IsWorthIt): Moved {
  const fromNew = replacedBy(claims);
  const { yes: replaced = [], no: deleted = [] } = Object.groupBy(candidates, ({ stateNode }) =>
    fromNew.has(stateNode.name) ? 'yes' : 'no',
  );
  if (replaced.length === 0 || deleted.length === 0) return { moves: [], after: world };
  const moves: EvaluatedMove[] = [];
  let now = world;
  for (const [some, closed] of [
    [deleted, protectedNodes.union(fromNew)],
    [replaced, protectedNodes],
  ] as const) {
    const found = foundWithout(some, now, closed);
    const move = found && moveOf(found, now);
    if (move === undefined || !isWorthIt(move, now) || (some === deleted && move.replacements.length > 0)) continue;
    moves.push(move);
    now = now.after(move);
  }
  return { moves, after: now };
}

/**
 * E22–E24: the move with all that was found, with the types that save more than its evictions must, at their highest launch prices.
 * *Shape:* undefined if it saves too little, or E24 refuses it.
 */
export function moveOf(found: Found, world: World): EvaluatedMove | undefined {
  const { candidates, claims, targets, evictions } = found;
  const sourceUsdPerHour = priceOf(candidates);
  const common = { candidates, targets, sourceUsdPerHour, evictions };
  if (claims.length === 0) return { ...common, replacements: claims, savingsUsdPerHour: sourceUsdPerHour };
  if (isRefusedSpot(found, world)) return undefined;
  const evictionsUsd = candidates.reduce((sum, candidate) => sum + evictionPrice(candidate, world), 0);
  const replacements = cheaperClaims(claims, sourceUsdPerHour - evictionsUsd);
  if (replacements === undefined || replacements.some((claim) => whyInflexible(claim) !== undefined)) return undefined;
  const flexible = flexibleClaims(candidates, replacements);
  return flexible && { ...common, replacements: flexible, savingsUsdPerHour: sourceUsdPerHour - cheapestUsd(flexible) };
}

/**
 * E24: each spot node that replaces a spot node needs many types, also if one command replaces several by as many.
 * *Shape:* undefined if too few types cost less; the same claims if several spot nodes are replaced by fewer.
 */
function flexibleClaims(
  candidates: readonly Candidate[],
  claims: readonly PlannedNodeClaim[],
): readonly PlannedNodeClaim[] | undefined {
  const spot = spotForSpot({ candidates, claims });
  if (spot.old === 0 || spot.new < spot.old) return claims;
  const flexible = claims.map((claim) => (mayBeSpot(claim) ? flexibleSpot(claim) : claim));
  return flexible.every((claim) => 'template' in claim) ? flexible : undefined;
}
