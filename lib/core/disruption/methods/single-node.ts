import type { Blocked } from '../../model/decision.ts';
import type { Refusal } from '../../model/refusal.ts';
import { blockedNode, bySavingsRatio, retryTimes } from '../budget-ledger.ts';
import type { Candidate } from '../candidates.ts';
import { whyUnapproved } from '../consolidation/approval.ts';
import { poolTotals, whyNeverBalanced, withScore } from '../consolidation/balanced.ts';
import { consolidatable } from '../consolidation/consolidatable.ts';
import { evaluateMove, isMove } from '../consolidation/evaluate-move.ts';
import { type Evolving, evolving } from '../consolidation/evolving.ts';
import { mayConsolidate } from '../consolidation/may-consolidate.ts';
import { validateConsolidation } from '../consolidation/validate-command.ts';
import { roundOf, stopAfter, whyNotEvaluated } from '../memory/turns.ts';
import type { EvaluatedMove, Method, Proposal, World } from '../method.ts';

/**
 * Deletes or replaces single nodes. Each pass evaluates every candidate, or continues where the last one has used its steps, and
 * proposes all moves that lower the price; each move is evaluated in the cluster that the moves before it leave. *Cost:* one or two
 * questions to `whatIf` for each candidate, and O(nodes) for each move. *Source:* E28; Karpenter ends the pass with the first move,
 * or after 3 min.
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
  const round = roundOf(candidates, world);
  const isWhole = world.stoppedAt === undefined && candidates.length <= world.steps.left();
  const inOrder = isWhole ? acrossPools(candidates) : round.left;
  const evaluate = evaluator(world, { done: round.done, candidates: candidates.length });
  const blocked: Blocked[] = [...refused];
  const over: Blocked[] = [];
  const moves: EvaluatedMove[] = [];
  let stoppedAt: number | undefined;
  for (const [at, candidate] of inOrder.entries()) {
    // A ledger accepts a node only if its budgets allow it, and says why not.
    if (world.budgets.within([candidate], 'Underutilized').length === 0) {
      over.push(...world.budgets.take([candidate], 'Underutilized').over);
      continue;
    }
    const result = evaluate(candidate);
    if (!isMove(result)) {
      if (result.reason === 'NotEvaluated') stoppedAt ??= at;
      blocked.push(blockedNode(candidate.stateNode, result));
      continue;
    }
    world.budgets.take([candidate], 'Underutilized');
    moves.push(result);
  }
  const stopped = stoppedAt === undefined ? {} : stopAfter(round, stoppedAt);
  // After a pass in the order of the savings, a round begins with the first name.
  const next = isWhole && stopped.stopped ? { stopped: { ...stopped.stopped, after: '' } } : stopped;
  return { moves, blocked: [...blocked, ...over], due: [...due, ...retryTimes(over, world)], ...next };
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
function evaluator(
  world: World,
  { done, candidates }: { readonly done: number; readonly candidates: number },
): (candidate: Candidate) => EvaluatedMove | Refusal {
  const totals = poolTotals(world);
  const cluster: Evolving = evolving(world);
  let evaluated = 0;
  return (candidate) => {
    const held = cluster.whyHeld(candidate);
    if (held !== undefined) return held;
    // E26: no question is necessary for a node that could not even be deleted.
    const never = whyNeverBalanced(candidate, totals);
    if (never !== undefined) return never;
    if (!cluster.hasSteps()) return whyNotEvaluated(done + evaluated, candidates);
    evaluated += 1;
    const move = evaluateMove([candidate], cluster.world());
    cluster.spend(1);
    if (!isMove(move)) return move;
    const why = whyUnapproved(move, totals, cluster.world());
    if (why !== undefined) return why;
    cluster.accept(move);
    return withScore(move, totals);
  };
}
