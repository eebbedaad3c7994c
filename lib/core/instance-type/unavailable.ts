import { MINUTE_MS } from '../../apis/time.ts';
import type { UnavailableOffering } from '../action.ts';

/** C32, C81: how long an offering without capacity, or one that was just taken back, is left alone. */
export const UNAVAILABLE_MS = 3 * MINUTE_MS;

/** A quick answer to "is this offering known to lack capacity". */
export function unavailability(
  offerings: readonly UnavailableOffering[],
): (of: Pick<UnavailableOffering, 'capacityType'> & { readonly type: string; readonly zone: string }) => boolean {
  const known = new Set(offerings.map((one) => `${one.instanceType}/${one.zone}/${one.capacityType}`));
  return ({ type, zone, capacityType }) => known.has(`${type}/${zone}/${capacityType}`);
}
