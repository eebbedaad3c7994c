import type { Refusal } from '../../model/refusal.ts';
import { bySavingsRatio } from '../budget-ledger.ts';
import type { Candidate } from '../candidates.ts';
import { whyUnapproved } from '../consolidation/approval.ts';
import { type PoolTotals, poolTotals, withScore } from '../consolidation/balanced.ts';
import { consolidatable } from '../consolidation/consolidatable.ts';
import { evaluateMove, isMove } from '../consolidation/evaluate-move.ts';
import { type Evolving, evolving } from '../consolidation/evolving.ts';
import { mayConsolidate } from '../consolidation/may-consolidate.ts';
import { validateConsolidation } from '../consolidation/validate-command.ts';
import type { EvaluatedMove, Method, Proposal, World } from '../method.ts';

/**
 * Deletes several nodes at once, or replaces them by one. The nodes of a command are the first in the order of disruption; a binary
 * search finds how many. *Cost:* seven questions of up to 101 nodes, then as many for each further move. *Source:* E27; Karpenter
 * proposes one move in a pass, and ends the search after 1 min.
 */
export const multiNode: Method = {
  name: 'multi-node',
  reason: 'Underutilized',
  placesPods: mayConsolidate,
  propose,
  validate: validateConsolidation,
};

/** E27: the most nodes of a command. Karpenter's search ends at the index 100. */
const MAX_NODES = 101;

function propose(world: World): Proposal {
  const { candidates, refused, due } = consolidatable(world);
  const totals = poolTotals(world);
  const cluster = evolving(world);
  const moves: EvaluatedMove[] = [];
  let left = candidates.toSorted(bySavingsRatio);
  for (;;) {
    const first = world.budgets.within(left, 'Underutilized').slice(0, MAX_NODES);
    const move = longestPrefix(first, cluster, totals);
    if (move === undefined) return { moves, blocked: refused, due };
    moves.push(withScore(move, totals));
    world.budgets.take(move.candidates, 'Underutilized');
    cluster.accept(move);
    const removed = new Set<Candidate>(move.candidates);
    left = left.filter((one) => !removed.has(one) && cluster.whyHeld(one) === undefined);
  }
}

/** The move of the most candidates, in their order, that a binary search finds. *Shape:* undefined if it finds none of two or more. */
function longestPrefix(
  candidates: readonly Candidate[],
  cluster: Evolving,
  totals: ReadonlyMap<string, PoolTotals>,
): EvaluatedMove | undefined {
  let found: EvaluatedMove | undefined;
  let [least, most] = [2, candidates.length];
  while (least <= most && cluster.hasSteps()) {
    const count = Math.floor((least + most) / 2);
    cluster.spend(count);
    const move = approved(evaluateMove(candidates.slice(0, count), cluster.world()), totals, cluster.world());
    if (move === undefined) most = count - 1;
    else [found, least] = [move, count + 1];
  }
  return found;
}

/** E26. */
function approved(
  move: EvaluatedMove | Refusal,
  totals: ReadonlyMap<string, PoolTotals>,
  world: World,
): EvaluatedMove | undefined {
  return isMove(move) && whyUnapproved(move, totals, world) === undefined ? move : undefined;
}
