import { SECOND_MS } from '../../../apis/formats/time.ts';
import { ownField } from '../../../apis/record.ts';
import { AnswerCache } from '../client/kept-answers.ts';
import { type SignedCallOptions, signedJson } from '../client/signed-call.ts';

export interface ZonalShiftOptions extends SignedCallOptions {
  /** The ARN of the EKS cluster, which is the resource that ARC shifts. */
  readonly clusterArn: () => Promise<string>;
  /** Maps zone ids, which ARC uses, to zone names: `use1-az1` → `us-east-1c` in this account. */
  readonly zoneNames: () => Promise<ReadonlyMap<string, string>>;
}

/** C36. */
const KEPT_MS = 30 * SECOND_MS;
const PATIENCE_MS = 3 * SECOND_MS;

/**
 * The names of the zones that the cluster is shifted away from, by an operator, a practice run or AWS. A single signed request
 * replaces the ARC client. *Errors:* RefusedError, UnreachableError. *Source:* ARC's GetManagedResource.
 */
export function zonalShifts(options: ZonalShiftOptions): () => Promise<readonly string[]> {
  const kept = new AnswerCache<readonly string[]>(options.clock, () => true);
  return () => kept.ask({ key: 'shifts', keepMs: KEPT_MS }, () => readShifts(options));
}

async function readShifts(options: ZonalShiftOptions): Promise<readonly string[]> {
  const arn = await options.clusterArn();
  const answer = await get(options, arn);
  // A cluster that is not enabled for zonal shift cannot be shifted.
  if (answer === undefined) return [];
  const ids = shiftedIds(answer, options.clock.now());
  if (ids.length === 0) return [];
  const names = await options.zoneNames();
  return ids.flatMap((id) => names.get(id) ?? []).toSorted();
}

/** *Shape:* undefined for a resource that ARC does not have. */
async function get(options: ZonalShiftOptions, arn: string): Promise<unknown> {
  return await signedJson(
    options,
    {
      service: 'arc-zonal-shift',
      serviceName: 'ARC',
      method: 'GET',
      path: `/managedresources/${encodeURIComponent(arn)}`,
      timeoutMs: PATIENCE_MS,
      doing: `read the zonal shifts of ${arn}`,
    },
    {
      absent: 404,
      hint: "allow arc-zonal-shift:GetManagedResource, or remove zonalShift from the cluster's options",
    },
  );
}

/** Only one of several shifts is in effect. A zonal shift has an expiry time in epoch seconds. */
function shiftedIds(answer: unknown, nowMs: number): readonly string[] {
  const ids = ['zonalShifts', 'autoshifts'].flatMap((key) => {
    const shifts = ownField(answer, key);
    if (!Array.isArray(shifts)) return [];
    return shifts.flatMap((shift: unknown) => {
      const expiry = ownField(shift, 'expiryTime');
      const over = typeof expiry === 'number' && expiry * SECOND_MS <= nowMs;
      const awayFrom = ownField(shift, 'awayFrom');
      return ownField(shift, 'appliedStatus') === 'APPLIED' && !over && typeof awayFrom === 'string' ? [awayFrom] : [];
    });
  });
  return [...new Set(ids)];
}
