import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { CAPACITY_TYPE, ZONE } from '../../apis/labels.ts';
import { compatibleOfferings } from '../instance-type/offerings/compatible-offerings.ts';
import { UNAVAILABLE_MS } from '../instance-type/offerings/unavailable.ts';
import { suitableTypes } from '../instance-type/suitable-types.ts';
import type { UnavailableOffering } from '../model/decision.ts';
import { admits } from '../requirements/requirement.ts';
import type { Requirements } from '../requirements/requirements.ts';
import type { PlannedNodeClaim } from '../scheduling/schedule.ts';

/** One fleet request tries about sixty types in a few zones. This many refusals double the pause. */
const DOUBLES_WITH = 100;

export interface CapacityPause {
  readonly reason: 'NoCapacity';
  readonly message: string;
  readonly numbers: Readonly<Record<string, number>>;
  readonly untilMs: number;
}

/**
 * Why a claim must wait before it is created. Each refused launch marks some offerings as unavailable, and the next claim tries
 * others. It is created immediately while more offerings are available than marked. After that the pause increases, so that an
 * outage does not cause a storm of launches. *Shape:* undefined if the claim can be created now.
 */
export function capacityPause(
  { template, requirements, instanceTypes }: PlannedNodeClaim,
  unavailable: readonly UnavailableOffering[],
  nowMs: number,
): CapacityPause | undefined {
  // The common case: no offering is marked.
  if (unavailable.length === 0) return undefined;
  const types = new Set(suitableTypes(template.knownTypes, requirements).map(({ name }) => name));
  const missing = unavailable.filter((one) => types.has(one.instanceType) && isAllowed(requirements, one));
  const left = instanceTypes.reduce((sum, type) => sum + compatibleOfferings(type, requirements).length, 0);
  if (missing.length <= left) return undefined;
  const lastMs = Math.max(...missing.map(({ untilMs, markedAtMs = untilMs - UNAVAILABLE_MS }) => markedAtMs));
  const pauseMs = Math.min(MINUTE_MS, SECOND_MS * 2 ** (missing.length / DOUBLES_WITH));
  const untilMs = Math.ceil(lastMs + pauseMs);
  if (nowMs >= untilMs) return undefined;
  const message = `${missing.length} compatible offerings had no capacity when last tried, ${left} others are available: the launch is delayed to avoid repeated failures`;
  return { reason: 'NoCapacity', message, numbers: { missing: missing.length, left }, untilMs };
}

function isAllowed(requirements: Requirements, { zone, capacityType }: UnavailableOffering): boolean {
  const [zones, capacityTypes] = [requirements.get(ZONE), requirements.get(CAPACITY_TYPE)];
  return (
    (zones === undefined || admits(zones, zone)) && (capacityTypes === undefined || admits(capacityTypes, capacityType))
  );
}
