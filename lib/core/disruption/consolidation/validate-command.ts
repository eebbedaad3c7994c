import type { DisruptionCommand } from '../../model/disruption-command.ts';
import type { PlannedNodeClaim } from '../../scheduling/schedule.ts';
import { type Candidate, isCandidate } from '../candidates.ts';
import { isEmptyNode } from '../cost.ts';
import type { Move, World } from '../method.ts';
import { whyUnapproved } from './approval.ts';
import { poolTotals } from './balanced.ts';
import { withTypesNamed } from './cheaper-claim.ts';
import { whyNotConsolidatable } from './consolidatable.ts';
import { evaluateMove, isMove } from './evaluate-move.ts';

/**
 * Evaluates a command of consolidation again: all its nodes must still be candidates and within the budgets, and their pods must
 * need the same number of new nodes, which can be of all the types of the command. *Shape:* the move with a replacement of the types
 * of the command; undefined if the command is no longer valid. *Source:* E29.
 */
export function validateConsolidation(command: DisruptionCommand, world: World): Move | undefined {
  const candidates = candidatesOf(command, world);
  if (candidates === undefined) return undefined;
  const move = evaluateMove(candidates, world);
  if (!isMove(move) || whyUnapproved(move, poolTotals(world), world) !== undefined) return undefined;
  const replacements = replacementsOf(command, move.replacements);
  if (replacements === undefined) return undefined;
  world.budgets.take(candidates, command.reason);
  return { candidates, replacements };
}

/** *Shape:* undefined if a node is not a candidate any more, or the budgets do not allow all of them. */
export function candidatesOf(command: DisruptionCommand, world: World): readonly Candidate[] | undefined {
  const names = new Set(command.candidates.map(({ nodeClaim }) => nodeClaim));
  const found = world.candidates.nodes.flatMap((stateNode) => {
    if (stateNode.nodeClaim === undefined || !names.has(stateNode.nodeClaim.name) || isEmptyNode(stateNode)) return [];
    const judged = world.candidates.judge(stateNode);
    return isCandidate(judged) && whyNotConsolidatable(judged, world) === undefined ? [judged] : [];
  });
  const within = world.budgets.within(found, command.reason);
  return within.length === names.size ? found : undefined;
}

function replacementsOf(
  command: DisruptionCommand,
  now: readonly PlannedNodeClaim[],
): readonly PlannedNodeClaim[] | undefined {
  if (command.replacements.length !== now.length) return undefined;
  const matched = now.flatMap((claim, at) => {
    const { nodePool = '', instanceTypes = [] } = command.replacements[at] ?? {};
    const isSame = claim.template.nodePool.metadata.name === nodePool;
    return (isSame && withTypesNamed(claim, instanceTypes)) || [];
  });
  return matched.length === now.length ? matched : undefined;
}
