import { optional } from '../../../apis/optional.ts';
import type { EndDisruption } from '../../model/decision.ts';
import type { DisruptionCommand } from '../../model/disruption-command.ts';
import { toMicros } from '../../usd-per-hour.ts';
import type { Candidate } from '../candidates.ts';
import { priceOf } from '../cost.ts';
import type { Pass } from '../pass.ts';
import { evictedFrom, pastMoveOf } from '../restraint/move-history.ts';

/** What the deletion of these candidates moves and saves, for the end of their command. *Shape:* no `moved` if nothing must be remembered. */
export function movedBy(
  command: DisruptionCommand,
  candidates: readonly Candidate[],
  { snapshot: { nodePools }, nowMs }: Pick<Pass, 'snapshot' | 'nowMs'>,
): Pick<EndDisruption, 'moved' | 'savingUsdPerHour' | 'deletes'> {
  const nodes = candidates.map(({ stateNode }) => stateNode);
  const savingUsdPerHour = toMicros(priceOf(candidates) - priceOf(command.replacements));
  const deletes = candidates.map(({ nodeClaim, stateNode, priceUsdPerHour }) => ({
    nodeClaim: nodeClaim.name,
    node: stateNode.name,
    priceUsdPerHour,
    evicted: Object.fromEntries(evictedFrom(stateNode)),
  }));
  return { savingUsdPerHour, deletes, ...optional({ moved: pastMoveOf(command, nodes, { nodePools, nowMs }) }) };
}
