import { counted } from '../../../apis/counted.ts';
import type { Blocked } from '../../model/decision.ts';
import type { Instance, LaunchOption, NodeClaimRecord } from '../../model/node-claim-record.ts';
import { usdPerHour } from '../../usd-per-hour.ts';

/**
 * Reports a launch that cost more than planned, because capacity was missing. *Shape:* undefined if the instance costs no more than
 * the cheapest option of the claim, or if EC2 chose among options that it did not refuse.
 * @param missing the number of offerings that EC2 refused in this attempt
 */
export function fallbackOf(
  { name, nodePool, options, launch }: NodeClaimRecord,
  instance: Instance,
  missing: number,
): Blocked | undefined {
  const [planned] = options;
  const wasRefused = missing > 0 || (launch.kind !== 'planned' && launch.attempt > 1);
  if (planned === undefined || !wasRefused || instance.priceUsdPerHour <= planned.priceUsdPerHour) return undefined;
  const refused = missing === 0 ? 'after a refused launch' : `because ${counted(missing, 'offering')} had no capacity`;
  return {
    subject: { kind: 'NodeClaim', name },
    nodePool,
    reason: 'CapacityFallback',
    message: `planned as ${inWords(planned)}, launched as ${inWords(instance)}, ${refused}`,
    numbers: { plannedUsdPerHour: planned.priceUsdPerHour, launchedUsdPerHour: instance.priceUsdPerHour },
  };
}

function inWords({ instanceType, zone, capacityType, priceUsdPerHour }: LaunchOption): string {
  return `${instanceType} ${capacityType} in ${zone} at ${usdPerHour(priceUsdPerHour)}`;
}
