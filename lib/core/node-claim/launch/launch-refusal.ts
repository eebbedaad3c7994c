import type { NodeClaimRecord } from '../../model/node-claim-record.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { LONGEST_MESSAGE } from '../mirror/mirror-conditions.ts';

/** Why the claim takes its pods and is not launched: EC2 refuses each request, and missing capacity is not the cause. *Shape:* undefined if it is not so. */
export function launchRefusal({ name, launch }: NodeClaimRecord): Refusal | undefined {
  if (launch.kind !== 'refused' || launch.retryAtMs === undefined || launch.throttled === true) return undefined;
  const message = launch.message.slice(0, LONGEST_MESSAGE);
  return refusal(
    'LaunchFailed',
    `NodeClaim ${name} is planned for it, and EC2 refuses the launch: ${message}; correct the cause that EC2 names: the launch is repeated`,
    { attempt: launch.attempt },
  );
}
