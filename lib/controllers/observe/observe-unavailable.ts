import { MINUTE_MS } from '../../apis/formats/time.ts';
import { CAPACITY_TYPES } from '../../apis/labels.ts';
import { ZONAL_SHIFT } from '../../core/instance-type/offerings/unavailable.ts';
import { ANY_OFFERING, type Blocked, type UnavailableOffering } from '../../core/model/decision.ts';
import { PortError } from '../../ports/errors.ts';
import type { ReadsZonalShifts, UsesCatalogue } from '../run/ports.ts';

export interface ObservedUnavailable {
  readonly unavailable: readonly UnavailableOffering[];
  /** A refusal if zonal shifts could not be read: decisions continue without them. */
  readonly ignoredObjects: readonly Blocked[];
}

type ShiftReader = ReadsZonalShifts['cloud'];

/** Offerings without capacity, and the zones that the cluster is shifted away from (C32, C36). */
export async function observeUnavailable(
  { catalogue, cloud }: UsesCatalogue & ReadsZonalShifts,
  cluster: string,
  nowMs: number,
): Promise<ObservedUnavailable> {
  const [marked, shifts] = await Promise.all([catalogue.listUnavailable(nowMs), readShifts(cloud, cluster)]);
  const shifted = shifts.zones.flatMap((zone) =>
    CAPACITY_TYPES.map((capacityType) => ({
      instanceType: ANY_OFFERING,
      zone,
      capacityType,
      // An operator ends the shift. The next tick reads it again.
      untilMs: nowMs + MINUTE_MS,
      reason: ZONAL_SHIFT,
    })),
  );
  return { unavailable: [...marked, ...shifted], ignoredObjects: shifts.ignoredObjects };
}

/** *Shape:* only the zones; none if they cannot be read. */
export async function observeShifts(cloud: ShiftReader, cluster: string): Promise<ReadonlySet<string>> {
  return new Set((await readShifts(cloud, cluster)).zones);
}

/** A failure of ARC does not stop launches in other zones. */
async function readShifts(
  cloud: ShiftReader,
  cluster: string,
): Promise<{ readonly zones: readonly string[]; readonly ignoredObjects: readonly Blocked[] }> {
  try {
    return { zones: await cloud.shiftedZones(), ignoredObjects: [] };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    const subject = { kind: 'Cluster', name: cluster } as const;
    return {
      zones: [],
      ignoredObjects: [{ subject, reason: 'ZonalShiftUnknown', message: error.message, numbers: {} }],
    };
  }
}
