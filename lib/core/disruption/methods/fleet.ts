import { MINUTE_MS } from '../../../apis/formats/time.ts';
import type { DisruptionCommand } from '../../model/disruption-command.ts';
import type { Candidate } from '../candidates.ts';
import { poolTotals, whyUnbalanced } from '../consolidation/balanced.ts';
import { consolidatable } from '../consolidation/consolidatable.ts';
import { closedNodes } from '../consolidation/evaluate-move.ts';
import { mayConsolidate } from '../consolidation/may-consolidate.ts';
import { candidatesOf } from '../consolidation/validate-command.ts';
import { foundWithout } from '../fleet/found.ts';
import { type Group, groupsOf } from '../fleet/groups.ts';
import { moveOf, movesOf } from '../fleet/moves.ts';
import { bestOf } from '../fleet/search.ts';
import type { EvaluatedMove, Method, Move, Proposal, World } from '../method.ts';

/**
 * Replaces nodes by any number of cheaper ones, or by none. Karpenter replaces nodes by one at most (E21). The moves of a pass share
 * no node and no free room. Refusals are left to the other methods of consolidation, which follow if this one proposes nothing.
 */
export const fleet: Method = { name: 'fleet', reason: 'Underutilized', placesPods: mayConsolidate, propose, validate };

function propose(world: World): Proposal {
  if (world.options.fleetConsolidation === false) return { moves: [], blocked: [], due: [] };
  const { candidates, due } = consolidatable(world);
  return { moves: fleetMoves(candidates, world), blocked: [], due };
}

/** The moves of a pass. @internal */
export function fleetMoves(candidates: readonly Candidate[], world: World): readonly EvaluatedMove[] {
  const totals = poolTotals(world);
  const steps = { left: world.steps };
  const moves: EvaluatedMove[] = [];
  for (const group of inTurn(groupsOf(candidates, world), candidates.length, world)) {
    const found = bestOf(group, world, steps);
    const some = found === undefined ? [] : movesOf(found, world);
    moves.push(...some.filter((move) => whyUnbalanced(move, totals) === undefined));
  }
  for (const { candidates: mine } of moves) world.budgets.take(mine, 'Underutilized');
  return moves;
}

/** The steps that a search may take for each node. */
const STEPS_PER_NODE = 8;

/** If the steps may not suffice for all groups, each minute begins with another one, so that each group has its turn. */
function inTurn(groups: readonly Group[], nodes: number, { steps, nowMs }: World): readonly Group[] {
  if (groups.length === 0 || nodes * STEPS_PER_NODE <= steps) return groups;
  const first = Math.floor(nowMs / MINUTE_MS) % groups.length;
  return [...groups.slice(first), ...groups.slice(0, first)];
}

/** E29: all nodes must still be candidates, and the move must still save enough, with at most as many new nodes. */
function validate(command: DisruptionCommand, world: World): Move | undefined {
  const candidates = candidatesOf(command, world);
  const found = candidates && foundWithout(candidates, world, closedNodes(world));
  const move = found && moveOf(found, world);
  if (move === undefined || move.replacements.length > command.replacements.length) return undefined;
  if (whyUnbalanced(move, poolTotals(world)) !== undefined) return undefined;
  world.budgets.take(move.candidates, command.reason);
  return move;
}
