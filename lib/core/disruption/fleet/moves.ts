import type { PlannedNodeClaim } from '../../scheduling/schedule.ts';
import { cheapestUsd } from '../../scheduling/schedule.ts';
import type { Candidate } from '../candidates.ts';
import { cheaperClaims, mayBeSpot, whyInflexible } from '../consolidation/cheaper-claim.ts';
import { closedNodes } from '../consolidation/evaluate-move.ts';
import { flexibleSpot } from '../consolidation/flexible-spot.ts';
import { priceOf } from '../cost.ts';
import type { EvaluatedMove, World } from '../method.ts';
import { type Found, foundWithout, isRefusedSpot, replacedBy, spotForSpot } from './found.ts';
import { evictionPrice } from './groups.ts';

/**
 * Splits what was found into moves that are valid one after the other: nodes whose pods need no new node are deleted, and the others are
 * replaced. *Shape:* without a move that saves too little, or that would replace spot nodes by spot nodes without the option.
 */
export function movesOf(found: Found, world: World): readonly EvaluatedMove[] {
  const fromNew = replacedBy(found.claims);
  const { yes: replaced = [], no: deleted = [] } = Object.groupBy(found.candidates, ({ stateNode }) =>
    fromNew.has(stateNode.name) ? 'yes' : 'no',
  );
  if (replaced.length === 0) return [partOf(found, deleted, [])];
  const replacing = priced(partOf(found, replaced, found.claims), world);
  if (deleted.length === 0) return replacing === undefined ? [] : [replacing];
  const first = canGoFirst(deleted, replaced, world) ? partOf(found, deleted, []) : undefined;
  if (replacing !== undefined && first !== undefined) return [first, replacing];
  // The nodes that are deleted may pay for the new nodes of the others.
  const together = moveOf(found, world);
  return [together ?? first].filter((move) => move !== undefined);
}

/**
 * Whether these nodes can be deleted before the others are replaced. Their pods have no place until then if affinity or spread binds them
 * to pods of the others. *Cost:* one question to `whatIf`.
 */
function canGoFirst(deleted: readonly Candidate[], replaced: readonly Candidate[], world: World): boolean {
  const closed = closedNodes(world).union(new Set(replaced.map(({ stateNode }) => stateNode.name)));
  return foundWithout(deleted, world, closed)?.claims.length === 0;
}

/** The move with all that was found. *Shape:* undefined if it saves too little, or E24 refuses it. */
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
  if (isRefusedSpot({ candidates, claims }, world)) return undefined;
  const evictions = candidates.reduce((sum, candidate) => sum + evictionPrice(candidate, world), 0);
  const replacements = cheaperClaims(claims, sourceUsdPerHour - evictions);
  if (replacements === undefined || replacements.some((claim) => whyInflexible(claim) !== undefined)) return undefined;
  const flexible = flexibleClaims(candidates, replacements);
  return flexible && { ...move, replacements: flexible, savingsUsdPerHour: sourceUsdPerHour - cheapestUsd(flexible) };
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
