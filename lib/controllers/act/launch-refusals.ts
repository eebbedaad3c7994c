import type { Blocked } from '../../core/model/decision.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { isNewRefusal } from './is-new-refusal.ts';
import type { NotingRun } from './run-notes.ts';

/**
 * Notes that EC2 refuses launches: once an hour for each NodePool and cause, because a claim is given up after five minutes, and
 * the next one has another name.
 */
export function noteRefusedLaunch(
  { ports, cluster, notes }: NotingRun,
  { nodePool }: Pick<NodeClaimRecord, 'nodePool'>,
  refusals: readonly Blocked[],
): void {
  for (const { reason, message } of refusals) {
    if (reason !== 'LaunchFailed') continue;
    const subject = `launches of NodePool ${nodePool}`;
    if (isNewRefusal(ports, `${cluster}: ${subject}`, message))
      notes.failures.push(new Error(`EC2 refuses ${subject}: ${message}`));
  }
}
