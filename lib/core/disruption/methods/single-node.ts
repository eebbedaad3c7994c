import { type Blocked, nextTick } from '../../model/decision.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { blockedNode, bySavingsRatio } from '../budget-ledger.ts';
import type { Candidate } from '../candidates.ts';
import { poolTotals, whyNeverBalanced, whyUnbalanced } from '../consolidation/balanced.ts';
import { consolidatable } from '../consolidation/consolidatable.ts';
import { evaluateMove, isMove } from '../consolidation/evaluate-move.ts';
import { type Evolving, evolving } from '../consolidation/evolving.ts';
import { mayConsolidate } from '../consolidation/may-consolidate.ts';
import { validateConsolidation } from '../consolidation/validate-command.ts';
import type { EvaluatedMove, Method, Proposal, World } from '../method.ts';

/**
 * Deletes or replaces single nodes. Each pass evaluates every candidate and proposes all moves that lower the price; each move is
 * evaluated in the cluster that the moves before it leave. *Cost:* one or two questions to `whatIf` for each candidate, and a new
 * index of the cluster for each move. *Source:* E28; Karpenter ends the pass with the first move, or after 3 min.
 */
export const singleNode: Method = {
  name: 'single-node',
  reason: 'Underutilized',
  placesPods: mayConsolidate,
  propose,
  validate: validateConsolidation,
};

function propose(world: World): Proposal {
  const { candidates, refused, due } = consolidatable(world);
  const evaluate = evaluator(world, candidates.length);
  const blocked: Blocked[] = [...refused];
  const over: Blocked[] = [];
  const moves: EvaluatedMove[] = [];
  for (const candidate of acrossPools(candidates)) {
    // A ledger accepts a node only if its budgets allow it, and says why not.
    if (world.budgets.within([candidate], 'Underutilized').length === 0) {
      over.push(...world.budgets.take([candidate], 'Underutilized').over);
      continue;
    }
    const result = evaluate(candidate);
    if (!isMove(result)) {
      blocked.push(blockedNode(candidate.stateNode, result));
      continue;
    }
    world.budgets.take([candidate], 'Underutilized');
    moves.push(result);
  }
  const retry = over.length === 0 ? [] : [nextTick(world.nowMs)];
  return { moves, blocked: [...blocked, ...over], due: [...due, ...retry] };
}

/** E28: by the savings ratio in each NodePool, and the NodePools in turn. */
function acrossPools(candidates: readonly Candidate[]): readonly Candidate[] {
  const inOrder = candidates.toSorted(bySavingsRatio);
  const places = new Map<string, number>();
  const turns = inOrder.map((candidate) => {
    const pool = candidate.nodePool.metadata.name;
    const turn = places.get(pool) ?? 0;
    places.set(pool, turn + 1);
    return { candidate, turn };
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ candidate }) => candidate);
}

/** Evaluates candidates one after the other, in the cluster that the accepted moves leave. */
function evaluator(world: World, count: number): (candidate: Candidate) => EvaluatedMove | Refusal {
  const totals = poolTotals(world);
  const cluster: Evolving = evolving(world);
  let evaluated = 0;
  return (candidate) => {
    const promised = cluster.whyPromised(candidate);
    if (promised !== undefined) return promised;
    // E26: no question is necessary for a node that could not even be deleted.
    const never = whyNeverBalanced(candidate, totals);
    if (never !== undefined) return never;
    if (!cluster.hasSteps())
      return refusal('NotEvaluated', `the pass ended after ${evaluated} of ${count} nodes`, {
        evaluated,
        nodes: count,
      });
    evaluated += 1;
    const move = evaluateMove([candidate], cluster.world());
    cluster.spend(1);
    if (!isMove(move)) return move;
    const why = whyUnbalanced(move, totals);
    if (why !== undefined) return why;
    cluster.accept(move);
    return move;
  };
}
