import type { Action } from '../../model/decision.ts';
import type { DisruptionCommand } from '../../model/disruption-command.ts';
import type { DeletionReason } from '../../model/node-claim-record.ts';
import type { Candidate } from '../candidates.ts';

export interface DeletionContext {
  readonly command: Pick<DisruptionCommand, 'reason' | 'method'>;
  /** Names of nodes whose only pods can wait (ignoreAtZero). */
  readonly atRest: ReadonlySet<string>;
  /** Ends the message. @default nothing */
  readonly why?: string;
}

/** Deletes a candidate of a command. */
export function deletionOf(
  { nodeClaim, stateNode }: Candidate,
  { command, atRest, why = '' }: DeletionContext,
): Action & { readonly kind: 'delete-node-claim' } {
  const reason = DELETION_REASON[command.reason];
  const waiting = atRest.has(stateNode.name);
  return {
    kind: 'delete-node-claim',
    nodeClaim: nodeClaim.name,
    reason,
    message: `node ${stateNode.name} is ${reason} (${command.method})${waiting ? ' except for pods that can wait' : ''}${why}`,
    ...(waiting && { atRest: true as const }),
  };
}

const DELETION_REASON = {
  Empty: 'empty',
  Underutilized: 'underutilized',
  Drifted: 'drifted',
} as const satisfies Record<DisruptionCommand['reason'], DeletionReason>;
