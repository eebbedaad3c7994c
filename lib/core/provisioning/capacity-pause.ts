import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { CAPACITY_TYPE, ZONE } from '../../apis/labels.ts';
import { compatibleOfferings } from '../instance-type/offerings/compatible-offerings.ts';
import { UNAVAILABLE_MS } from '../instance-type/offerings/unavailable.ts';
import { suitableTypes } from '../instance-type/suitable-types.ts';
import type { UnavailableOffering } from '../model/decision.ts';
import { admits } from '../requirements/requirement.ts';
import type { Requirements } from '../requirements/requirements.ts';
import type { PlannedNodeClaim } from '../scheduling/schedule.ts';

/** One fleet request tries some sixty types in a few zones: that many refusals double the pause. */
const DOUBLES_WITH = 100;

export interface CapacityPause {
  readonly reason: 'NoCapacity';
  readonly message: string;
  readonly numbers: Readonly<Record<string, number>>;
  readonly untilMs: number;
}

/**
 * Why a claim like this is not made just now. Each refused launch teaches that some offerings lack capacity, and the next
 * claim tries others: at once, as long as more is left to try than is known to be missing, and then ever more slowly, or an
 * outage becomes a storm of launches. *Shape:* undefined where it may be made.
 */
export function capacityPause(
  { template, requirements, instanceTypes }: PlannedNodeClaim,
  unavailable: readonly UnavailableOffering[],
  nowMs: number,
): CapacityPause | undefined {
  // As on most days: nothing is known to be missing, so nothing need be looked for.
  if (unavailable.length === 0) return undefined;
  const types = new Set(suitableTypes(template.knownTypes, requirements).map(({ name }) => name));
  const missing = unavailable.filter((one) => types.has(one.instanceType) && isAllowed(requirements, one));
  const left = instanceTypes.reduce((sum, type) => sum + compatibleOfferings(type, requirements).length, 0);
  if (missing.length <= left) return undefined;
  const lastMs = Math.max(...missing.map(({ untilMs, markedAtMs = untilMs - UNAVAILABLE_MS }) => markedAtMs));
  const pauseMs = Math.min(MINUTE_MS, SECOND_MS * 2 ** (missing.length / DOUBLES_WITH));
  const untilMs = Math.ceil(lastMs + pauseMs);
  if (nowMs >= untilMs) return undefined;
  const message = `${missing.length} offerings that would do had no capacity when they were last tried, ${left} are left: it tries again in a moment`;
  return { reason: 'NoCapacity', message, numbers: { missing: missing.length, left }, untilMs };
}

function isAllowed(requirements: Requirements, { zone, capacityType }: UnavailableOffering): boolean {
  const [zones, capacityTypes] = [requirements.get(ZONE), requirements.get(CAPACITY_TYPE)];
  return (
    (zones === undefined || admits(zones, zone)) && (capacityTypes === undefined || admits(capacityTypes, capacityType))
  );
}
