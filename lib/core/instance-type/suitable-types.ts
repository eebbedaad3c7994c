import { CAPACITY_TYPE, RESERVATION_LABELS, ZONE, ZONE_ID } from '../../apis/labels.ts';
import type { InstanceType } from '../model/instance-type.ts';
import { intersects, type Requirements } from '../requirements/requirements.ts';
import { typeRequirements } from './type-requirements.ts';

/** Labels of an offering. On a type they have the values of the currently available offerings, so they do not decide its suitability. */
export const PLACE_LABELS: ReadonlySet<string> = new Set([ZONE, ZONE_ID, CAPACITY_TYPE, ...RESERVATION_LABELS]);

/** The types that meet the requirements, independent of current offerings. *Cost:* O(types × labels of the requirements). */
export function suitableTypes(types: readonly InstanceType[], requirements: Requirements): readonly InstanceType[] {
  return types.filter(suitability(requirements));
}

/** Whether a type meets the requirements, independent of current offerings. */
export function suitability(requirements: Requirements): (type: InstanceType) => boolean {
  const ofType = new Map([...requirements].filter(([key]) => !PLACE_LABELS.has(key)));
  return (type) => intersects(typeRequirements(type), ofType);
}
