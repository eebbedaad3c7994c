import { optional } from '../../../apis/optional.ts';
import type { Action } from '../../model/decision.ts';
import type { DisruptionCommand } from '../../model/disruption-command.ts';
import type { Candidate } from '../candidates.ts';
import type { Pass } from '../pass.ts';
import { pastMoveOf } from '../restraint/move-history.ts';

/** What the deletion of these candidates moves, for the end of their command. *Shape:* empty if nothing must be remembered. */
export function movedBy(
  command: DisruptionCommand,
  candidates: readonly Candidate[],
  { snapshot: { nodePools }, nowMs }: Pick<Pass, 'snapshot' | 'nowMs'>,
): Pick<Action & { readonly kind: 'end-disruption' }, 'moved'> {
  const nodes = candidates.map(({ stateNode }) => stateNode);
  return optional({ moved: pastMoveOf(command, nodes, { nodePools, nowMs }) });
}
