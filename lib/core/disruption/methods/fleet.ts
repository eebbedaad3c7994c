import type { DisruptionCommand } from '../../model/disruption-command.ts';
import type { Refusal } from '../../model/refusal.ts';
import type { Candidate } from '../candidates.ts';
import { BY_EVICTIONS, type PoolTotals, poolTotals, whyUnbalanced, withScore } from '../consolidation/balanced.ts';
import { consolidatable } from '../consolidation/consolidatable.ts';
import { closedNodes } from '../consolidation/evaluate-move.ts';
import { mayConsolidate } from '../consolidation/may-consolidate.ts';
import { candidatesOf } from '../consolidation/validate-command.ts';
import { foundWithout } from '../fleet/found.ts';
import { groupsOf } from '../fleet/groups.ts';
import { moveOf, movesOf } from '../fleet/moves.ts';
import { bestOf } from '../fleet/search.ts';
import { roundOf, stopAfter } from '../memory/turns.ts';
import type { EvaluatedMove, Method, Move, Proposal, World } from '../method.ts';
import { whyMoveRestrained, whyRestrained } from '../restraint/why-restrained.ts';

/**
 * Replaces nodes by any number of cheaper ones, or by none. Karpenter replaces nodes by one at most (E21). The moves of a pass share
 * no node and no free room, and each is decided in the cluster after the moves before it. Refusals are left to the other methods of
 * consolidation, which follow if this one proposes nothing.
 */
export const fleet: Method = {
  name: 'fleet',
  reason: 'Underutilized',
  isOptional: true,
  placesPods: mayConsolidate,
  propose,
  validate,
};

function propose(world: World): Proposal {
  if (world.options.fleetConsolidation === false) return { moves: [], blocked: [], due: [] };
  const { candidates, due } = consolidatable(world);
  if (candidates.length === 0) return { moves: [], blocked: [], due };
  const most = Math.max(1, Math.floor(world.steps.left() / (STEPS_PER_NODE + world.stepsOfOthers())));
  if (world.stoppedAt === undefined && candidates.length <= most)
    return { moves: fleetMoves(candidates, world), blocked: [], due };
  const round = roundOf(candidates, world);
  const mine = round.left.slice(0, most);
  const now = new Set(mine);
  const others = candidates.filter((one) => !now.has(one)).map(({ stateNode }) => stateNode.name);
  return { moves: fleetMoves(mine, world, new Set(others)), blocked: [], due, ...stopAfter(round, most) };
}

/** The most steps that a search takes for each node. A group has fewer questions than nodes. */
const STEPS_PER_NODE = 12;

/** The moves of a pass. @param waiting nodes that other passes of the round evaluate, to which no pods are moved. @internal */
export function fleetMoves(
  candidates: readonly Candidate[],
  world: World,
  waiting: ReadonlySet<string> = new Set(),
): readonly EvaluatedMove[] {
  const totals = poolTotals(world);
  const moves: EvaluatedMove[] = [];
  let now = world;
  // The moves of other groups may move the same workloads.
  const isWorthIt = (move: EvaluatedMove, of: World): boolean =>
    whyNotWorthIt(move, totals, of) === undefined &&
    move.candidates.every((one) => whyRestrained(one, of) === undefined);
  for (const group of groupsOf(candidates, world, waiting)) {
    const found = bestOf(group, now);
    if (found === undefined) continue;
    const { moves: some, after } = movesOf(found, now, isWorthIt);
    moves.push(...some.map((move) => withScore(move, totals, BY_EVICTIONS)));
    now = after;
  }
  for (const { candidates: mine } of moves) world.budgets.take(mine, 'Underutilized');
  return moves;
}

/** E26: with any policy, a move must save enough for its evictions: with less, pods would move again and again for small savings. */
function whyNotWorthIt(
  move: EvaluatedMove,
  totals: ReadonlyMap<string, PoolTotals>,
  world: World,
): Refusal | undefined {
  return whyMoveRestrained(move, world) ?? whyUnbalanced(move, totals) ?? whyUnbalanced(move, totals, BY_EVICTIONS);
}

/** E29: all nodes must still be candidates, and the move must still save enough, with at most as many new nodes. */
function validate(command: DisruptionCommand, world: World): Move | undefined {
  const candidates = candidatesOf(command, world);
  const found = candidates && foundWithout(candidates, world, closedNodes(world));
  const move = found && moveOf(found, world);
  if (move === undefined || move.replacements.length > command.replacements.length) return undefined;
  if (whyNotWorthIt(move, poolTotals(world), world) !== undefined) return undefined;
  world.budgets.take(move.candidates, command.reason);
  return move;
}
