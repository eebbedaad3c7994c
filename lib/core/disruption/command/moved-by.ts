import { optional } from '../../../apis/optional.ts';
import type { EndDisruption } from '../../model/decision.ts';
import { type DisruptionCommand, isReplacing } from '../../model/disruption-command.ts';
import { instanceOf } from '../../model/node-claim-record.ts';
import { toMicros } from '../../usd-per-hour.ts';
import type { Candidate } from '../candidates.ts';
import { priceOf } from '../cost.ts';
import type { Pass } from '../pass.ts';
import { evictedFrom, pastMoveOf } from '../restraint/move-history.ts';

/** What the deletion of these candidates moves and saves, for the end of their command. *Shape:* no `moved` if nothing must be remembered. */
export function movedBy(
  command: DisruptionCommand,
  candidates: readonly Candidate[],
  { snapshot, nowMs }: Pick<Pass, 'snapshot' | 'nowMs'>,
): Pick<EndDisruption, 'moved' | 'savingUsdPerHour' | 'deletes'> {
  const nodes = candidates.map(({ stateNode }) => stateNode);
  const savingUsdPerHour = toMicros(priceOf(candidates) - priceOf(launchedFor(command, snapshot)));
  const deletes = candidates.map(({ nodeClaim, stateNode, priceUsdPerHour }) => ({
    nodeClaim: nodeClaim.name,
    node: stateNode.name,
    priceUsdPerHour,
    evicted: Object.fromEntries(evictedFrom(stateNode)),
  }));
  const moved = pastMoveOf(command, nodes, { nodePools: snapshot.nodePools, nowMs });
  return { savingUsdPerHour, deletes, ...optional({ moved }) };
}

/** EC2 chooses among the types of a replacement, and not always the cheapest. *Shape:* the planned price if no instance is known. */
function launchedFor(
  command: DisruptionCommand,
  { nodeClaims }: Pick<Pass['snapshot'], 'nodeClaims'>,
): readonly { readonly priceUsdPerHour: number }[] {
  const { replacements } = command;
  if (!isReplacing(command)) return replacements;
  const records = new Map(nodeClaims.map((record) => [record.name, record]));
  return replacements.map((planned, at) => {
    const record = records.get(command.replacementClaims[at] ?? '');
    return (record && instanceOf(record)) ?? planned;
  });
}
