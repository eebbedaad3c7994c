import { optional } from '../../../apis/optional.ts';
import { isReschedulable } from '../../cluster/pods.ts';
import type { Action } from '../../model/decision.ts';
import type { DisruptionCommand, ReplacingCommand } from '../../model/disruption-command.ts';
import { newNodeClaim } from '../../provisioning/new-node-claim.ts';
import { describeCandidate } from '../candidates.ts';
import { priceOf } from '../cost.ts';
import type { Move } from '../method.ts';

type Described = Pick<DisruptionCommand, 'candidates' | 'replacements' | 'savingUsdPerHour' | 'evictions' | 'score'>;

/** Returns the move in the form that a command stores. */
export function describeMove({ candidates: nodes, replacements: claims, score }: Move): Described {
  const candidates = nodes.map(describeCandidate);
  const replacements = claims.map(({ template, instanceTypes, cheapest }) => ({
    nodePool: template.nodePool.metadata.name,
    instanceTypes: instanceTypes.map(({ name }) => name),
    priceUsdPerHour: cheapest.offering.priceUsdPerHour,
  }));
  return {
    candidates,
    replacements,
    savingUsdPerHour: priceOf(candidates) - priceOf(replacements),
    evictions: nodes.flatMap(({ stateNode }) => stateNode.pods.filter(isReschedulable)).length,
    ...optional({ score }),
  };
}

export interface StartContext {
  readonly cluster: string;
  readonly decisionId: string;
  readonly nowMs: number;
}

/**
 * E33: launches the replacements of a command that was validated. Their names are derived from the id of the command, so repeating
 * this creates the same claims. *Shape:* `continue-disruption`, and one `create-node-claim` for each replacement.
 */
export function startReplacing(command: DisruptionCommand, move: Move, context: StartContext): readonly Action[] {
  const { id, method } = command;
  const { cluster, decisionId, nowMs } = context;
  const claims = move.replacements.map((claim, index) => ({
    ...newNodeClaim(claim, index, { cluster, decisionId: id, nowMs }),
    decisionId,
    command: id,
  }));
  const next: ReplacingCommand = {
    ...command,
    ...describeMove(move),
    state: 'replacing',
    replacingSinceMs: nowMs,
    replacementClaims: claims.map(({ name }) => name),
  };
  const message = `it replaces ${next.candidates.map(({ node }) => node).join(', ')} (${method})`;
  return [
    { kind: 'continue-disruption', command: next },
    ...claims.map((nodeClaim): Action => ({ kind: 'create-node-claim', nodeClaim, message })),
  ];
}
