import { CAPACITY_TYPE, RESERVATION_LABELS, ZONE, ZONE_ID } from '../../apis/labels.ts';
import { intersects, type Requirements } from '../requirements/requirements.ts';
import type { InstanceType } from './instance-type.ts';

/** Labels of the offering, not of the type: of a type they are what it has just now, and do not say whether it would do. */
export const PLACE_LABELS: ReadonlySet<string> = new Set([ZONE, ZONE_ID, CAPACITY_TYPE, ...RESERVATION_LABELS]);

/** The types that would do, wherever and however they are sold just now. *Cost:* O(types × labels of the requirements). */
export function suitableTypes(types: readonly InstanceType[], requirements: Requirements): readonly InstanceType[] {
  const elsewhere = new Map([...requirements].filter(([key]) => !PLACE_LABELS.has(key)));
  return types.filter((type) => intersects(type.requirements, elsewhere));
}
