import { CAPACITY_TYPE, ZONE } from '../../apis/labels.ts';
import { MINUTE_MS, SECOND_MS } from '../../apis/time.ts';
import type { UnavailableOffering } from '../action.ts';
import type { NodePoolView } from '../cluster/snapshot.ts';
import { UNAVAILABLE_MS } from '../instance-type/unavailable.ts';
import { admits } from '../requirements/requirement.ts';
import { intersects, type Requirements, requirementsFrom } from '../requirements/requirements.ts';

/** One fleet request tries some sixty types in a few zones: that many refusals double the pause. */
const DOUBLES_WITH = 100;

export interface CapacityPause {
  readonly reason: 'NoCapacity';
  readonly message: string;
  readonly untilMs: number;
}

/**
 * Why a pool makes no new claims just now. Each refused launch teaches that some offerings lack capacity, and the next claim
 * tries others: at once at first, then ever more slowly, or an outage becomes a storm of launches. *Shape:* undefined where
 * the pool may go on.
 */
export function capacityPause(
  { nodePool, instanceTypes }: NodePoolView,
  unavailable: readonly UnavailableOffering[],
  nowMs: number,
): CapacityPause | undefined {
  const requirements = requirementsFrom(nodePool.spec.template.spec.requirements);
  const types = new Set(
    instanceTypes.filter((type) => wants(requirements, type.requirements)).map((type) => type.name),
  );
  const missing = unavailable.filter((one) => types.has(one.instanceType) && isAllowed(requirements, one));
  if (missing.length === 0) return undefined;
  const lastMs = Math.max(...missing.map(({ untilMs }) => untilMs)) - UNAVAILABLE_MS;
  const pauseMs = Math.min(MINUTE_MS, SECOND_MS * 2 ** (missing.length / DOUBLES_WITH));
  const untilMs = Math.ceil(lastMs + pauseMs);
  if (nowMs >= untilMs) return undefined;
  const count = new Set(missing.map(({ instanceType }) => instanceType)).size;
  const message = `${missing.length} offerings of ${count} instance types had no capacity when they were last tried: it tries again in a moment`;
  return { reason: 'NoCapacity', message, untilMs };
}

/** Zones and capacity types of a type are those that it has just now: they do not count here. */
function wants(requirements: Requirements, type: Requirements): boolean {
  const elsewhere = new Map([...requirements].filter(([key]) => key !== ZONE && key !== CAPACITY_TYPE));
  return intersects(type, elsewhere);
}

function isAllowed(requirements: Requirements, { zone, capacityType }: UnavailableOffering): boolean {
  const [zones, capacityTypes] = [requirements.get(ZONE), requirements.get(CAPACITY_TYPE)];
  return (
    (zones === undefined || admits(zones, zone)) && (capacityTypes === undefined || admits(capacityTypes, capacityType))
  );
}
