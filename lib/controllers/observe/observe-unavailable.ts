import { MINUTE_MS } from '../../apis/formats/time.ts';
import { CAPACITY_TYPES } from '../../apis/labels.ts';
import { ZONAL_SHIFT } from '../../core/instance-type/offerings/unavailable.ts';
import { ANY_OFFERING, type Blocked, type UnavailableOffering } from '../../core/model/decision.ts';
import { type Observed, readOr } from '../../core/observed.ts';
import type { HasClock, ReadsZonalShifts, UsesCatalogue } from '../run/ports.ts';
import { type Readings, refusalsOfUnread } from './readings.ts';

export interface ObservedUnavailable {
  /** Without capacity whose marks could not be read. */
  readonly unavailable: readonly UnavailableOffering[];
  /** A refusal if zonal shifts or marks could not be read: decisions continue without them. */
  readonly ignoredObjects: readonly Blocked[];
  /** Whether the marks of missing capacity were read. */
  readonly hasMarks: boolean;
}

type ShiftReader = ReadsZonalShifts['cloud'];

/** Offerings without capacity, and the zones that the cluster is shifted away from (C32, C36). */
export async function observeUnavailable(
  { catalogue, cloud, clock }: UsesCatalogue & ReadsZonalShifts & HasClock,
  cluster: string,
  log: Readings,
): Promise<ObservedUnavailable> {
  const nowMs = clock.now();
  const [marked, zones] = await Promise.all([
    log.observe('missing capacity', async () => catalogue.listUnavailable(nowMs)),
    // A failure of ARC does not stop launches in other zones.
    log.observe('zonal shifts', async () => cloud.shiftedZones()),
  ]);
  const shifted = readOr(zones, []).flatMap((zone) =>
    CAPACITY_TYPES.map((capacityType) => ({
      instanceType: ANY_OFFERING,
      zone,
      capacityType,
      // An operator ends the shift. The next tick reads it again.
      untilMs: nowMs + MINUTE_MS,
      reason: ZONAL_SHIFT,
    })),
  );
  return {
    unavailable: [...readOr(marked, []), ...shifted],
    ignoredObjects: [
      ...refusalsOfUnread(cluster, [marked], 'MissingCapacityUnknown'),
      ...refusalsOfUnread(cluster, [zones], 'ZonalShiftUnknown'),
    ],
    hasMarks: marked.kind === 'read',
  };
}

/** *Shape:* only the zones. */
export async function observeShifts(cloud: ShiftReader, log: Readings): Promise<Observed<ReadonlySet<string>>> {
  return log.observe('zonal shifts', async () => new Set(await cloud.shiftedZones()));
}
