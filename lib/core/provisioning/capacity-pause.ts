import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { CAPACITY_TYPE, ZONE } from '../../apis/labels.ts';
import { compatibleOfferings } from '../instance-type/offerings/compatible-offerings.ts';
import { type Placement, tenancyOf, UNAVAILABLE_MS, unavailability } from '../instance-type/offerings/unavailable.ts';
import { suitableTypes } from '../instance-type/suitable-types.ts';
import { lastFor } from '../kept-answers.ts';
import type { UnavailableOffering } from '../model/decision.ts';
import type { InstanceType } from '../model/instance-type.ts';
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
 * outage does not cause a storm of launches. *Shape:* undefined if the claim can be created now. *Cost:* claims with the same list of
 * types share the answer.
 */
export function capacityPause(
  { template: { knownTypes }, requirements, instanceTypes }: PlannedNodeClaim,
  unavailable: readonly UnavailableOffering[],
  nowMs: number,
): CapacityPause | undefined {
  // The common case: no offering is marked.
  if (unavailable.length === 0) return undefined;
  return pauseOf(instanceTypes, { knownTypes, requirements, unavailable, nowMs });
}

interface Circumstances extends Pick<PlannedNodeClaim, 'requirements'> {
  readonly knownTypes: readonly InstanceType[];
  readonly unavailable: readonly UnavailableOffering[];
  readonly nowMs: number;
}

const pauseOf = lastFor((instanceTypes: readonly InstanceType[], among: Circumstances): CapacityPause | undefined => {
  const { knownTypes, requirements, unavailable, nowMs } = among;
  const types = new Map(suitableTypes(knownTypes, requirements).map((type) => [type.name, type]));
  const tenancy = tenancyOf(requirements);
  const missing = unavailable.filter((one) => {
    const type = types.get(one.instanceType);
    return type !== undefined && isAllowed(requirements, one) && concernsClaim(one, type, tenancy);
  });
  // The requirements of a pod can force dedicated hardware, which the offerings of the NodePool do not show.
  const isLacking = unavailability(
    missing.filter((one) => one.tenancy !== undefined),
    tenancy,
  );
  const left = instanceTypes.reduce((sum, type) => {
    const offered = compatibleOfferings(type, requirements);
    return sum + offered.filter((one) => !isLacking({ type: type.name, ...one })).length;
  }, 0);
  if (missing.length <= left) return undefined;
  const lastMs = Math.max(...missing.map(({ untilMs, markedAtMs = untilMs - UNAVAILABLE_MS }) => markedAtMs));
  const pauseMs = Math.min(MINUTE_MS, SECOND_MS * 2 ** (missing.length / DOUBLES_WITH));
  const untilMs = Math.ceil(lastMs + pauseMs);
  if (nowMs >= untilMs) return undefined;
  const message = `${missing.length} compatible offerings had no capacity when last tried, ${left} others are available: the launch is delayed to avoid repeated failures`;
  return { reason: 'NoCapacity', message, numbers: { missing: missing.length, left }, untilMs };
});

/** Whether the mark concerns launches of the claim: of its tenancy, and of its placement group or NodeClass if it is of one. */
function concernsClaim(
  { zone, capacityType, placementGroupId, tenancy, nodeClass }: UnavailableOffering,
  type: InstanceType,
  ofClaim: Pick<Placement, 'tenancy'>,
): boolean {
  if (tenancy !== undefined && tenancy !== ofClaim.tenancy) return false;
  // The offerings of the NodePool show whether the placement group and the NodeClass are its own.
  const isOffered = (): boolean =>
    type.offerings.some((one) => one.available && one.zone === zone && one.capacityType === capacityType);
  return (placementGroupId ?? nodeClass) === undefined || !isOffered();
}

function isAllowed(requirements: Requirements, { zone, capacityType }: UnavailableOffering): boolean {
  const [zones, capacityTypes] = [requirements.get(ZONE), requirements.get(CAPACITY_TYPE)];
  return (
    (zones === undefined || admits(zones, zone)) && (capacityTypes === undefined || admits(capacityTypes, capacityType))
  );
}
