import type { PlannedNodeClaim } from '../../scheduling/schedule.ts';
import { cheapestUsd } from '../../scheduling/schedule.ts';
import type { Candidate } from '../candidates.ts';
import { cheaperClaims, whyInflexible } from '../consolidation/cheaper-claim.ts';
import { priceOf } from '../cost.ts';
import type { EvaluatedMove, World } from '../method.ts';
import { type Found, isOnlySpot } from './found.ts';
import { evictionPrice } from './groups.ts';

/**
 * Splits what was found into moves that are valid one after the other: nodes whose pods need no new node are deleted, and the others are
 * replaced. *Shape:* without a move that saves too little, or that would replace only spot nodes by spot nodes.
 */
export function movesOf(found: Found, world: World): readonly EvaluatedMove[] {
  const fromNew = new Set(found.claims.flatMap(({ pods }) => pods.map(({ spec }) => spec.nodeName ?? '')));
  const { yes: replaced = [], no: deleted = [] } = Object.groupBy(found.candidates, ({ stateNode }) =>
    fromNew.has(stateNode.name) ? 'yes' : 'no',
  );
  if (replaced.length === 0) return [partOf(found, deleted, [])];
  const replacing = priced(partOf(found, replaced, found.claims), world);
  if (deleted.length === 0) return replacing === undefined ? [] : [replacing];
  if (replacing !== undefined) return [partOf(found, deleted, []), replacing];
  // The nodes that are deleted may pay for the new nodes of the others, or be on-demand nodes beside spot nodes (E24).
  const together = priced(partOf(found, found.candidates, found.claims), world);
  return [together ?? partOf(found, deleted, [])];
}

/** The move with all that was found. *Shape:* undefined if it saves too little, or would replace only spot nodes by spot nodes. */
export function moveOf(found: Found, world: World): EvaluatedMove | undefined {
  return priced(partOf(found, found.candidates, found.claims), world);
}

/** The part of what was found that removes these nodes. */
function partOf(found: Found, candidates: readonly Candidate[], claims: readonly PlannedNodeClaim[]): EvaluatedMove {
  const names = new Set(candidates.map(({ stateNode }) => stateNode.name));
  const targets = found.targets.flatMap(({ stateNode, pods }) => {
    const mine = pods.filter(({ spec }) => names.has(spec.nodeName ?? ''));
    return mine.length === 0 ? [] : [{ stateNode, pods: mine }];
  });
  const moved = [...targets, ...claims].flatMap(({ pods }) => pods);
  const sourceUsdPerHour = priceOf(candidates);
  return {
    candidates,
    replacements: claims,
    targets,
    sourceUsdPerHour,
    savingsUsdPerHour: sourceUsdPerHour,
    evictions: moved.filter(({ spec }) => names.has(spec.nodeName ?? '')).length,
  };
}

/** E22–E24: the move with the types that save more than its evictions must, at their highest launch prices. */
function priced(move: EvaluatedMove, world: World): EvaluatedMove | undefined {
  const { candidates, replacements: claims, sourceUsdPerHour } = move;
  if (claims.length === 0) return move;
  if (isOnlySpot({ candidates, claims }, world)) return undefined;
  const evictions = candidates.reduce((sum, candidate) => sum + evictionPrice(candidate, world), 0);
  const replacements = cheaperClaims(claims, sourceUsdPerHour - evictions);
  if (replacements === undefined || replacements.some((claim) => whyInflexible(claim) !== undefined)) return undefined;
  return { ...move, replacements, savingsUsdPerHour: sourceUsdPerHour - cheapestUsd(replacements) };
}
