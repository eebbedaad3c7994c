import type { Blocked } from '../../core/model/decision.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { NotingRun } from './run-notes.ts';

/**
 * The refusals to show as Events: a refused launch once an hour for each NodeClaim and cause, because it is tried again every
 * minute. It is also a failure of the run, once an hour for each NodePool and cause, because a claim is given up after five minutes
 * and has another name then.
 */
export function newRefusalsOf(
  { ports, cluster, notes }: NotingRun,
  { name, nodePool }: Pick<NodeClaimRecord, 'name' | 'nodePool'>,
  refusals: readonly Blocked[],
): readonly Blocked[] {
  const nowMs = ports.clock.now();
  const isNew = (subject: string, cause: string): boolean =>
    ports.refusals?.isNew(`${cluster}: ${subject}`, cause, nowMs) ?? true;
  return refusals.filter(({ reason, message }) => {
    if (reason !== 'LaunchFailed') return true;
    if (isNew(`launches of NodePool ${nodePool}`, message))
      notes.failures.push(new Error(`EC2 refuses launches of NodePool ${nodePool}: ${message}`));
    return isNew(`launch ${name}`, message);
  });
}
