import { ARCH } from '../../../apis/labels.ts';
import { ANY_OFFERING, type UnavailableMark, type UnavailableOffering } from '../../model/decision.ts';
import type { LaunchOption, LaunchType } from '../../model/node-claim-record.ts';
import type { OfferingKey } from './availability.ts';
import { isZoneRefusal, REFUSED_ACROSS_FAMILIES, REFUSED_WITH_ZONE } from './unavailable.ts';

type Missing = Omit<UnavailableMark, 'atMs'>;

/** One launch that EC2 answered: what it requested, what was missing, and what it launched instead. */
export interface AnsweredLaunch {
  readonly requested: readonly LaunchOption[];
  /** The types of the request. */
  readonly types: readonly LaunchType[];
  readonly missing: readonly Missing[];
}

/** Capacity differs by family, because each has its own hardware. Fewer families than this may lack capacity by chance. */
const ENOUGH_FAMILIES = 4;
/** All families of a request are enough, unless there are fewer than this. */
const MIN_FAMILIES = 3;
const NO_CAPACITY = 'InsufficientInstanceCapacity';

/**
 * What a launch teaches about missing capacity. If a zone refused every offering of a capacity type, of at least four families, or of
 * all three that the request names there, it is marked as a whole, beside its offerings. Such a mark is a hint: see `doubt`. A capacity
 * type that is refused in every zone has a mark in each. *Shape:* the missing offerings, then one mark for each zone and capacity type that
 * refused. Quotas, placement groups, dedicated hardware and accelerators say nothing about other launches.
 * *Cost:* O(requested offerings). *Source:* C35.
 */
export function withZoneRefusals({ requested, types, missing }: AnsweredLaunch): readonly Missing[] {
  const accelerated = new Set(types.filter(isAccelerated).map(({ name }) => name));
  const reasons = new Map(missing.filter(isGeneral).map((one) => [keyOf(one), one.reason]));
  const places = Map.groupBy(requested, placeOf);
  const refused = [...places.values()].filter((lines) => {
    const named = new Set(lines.map(({ instanceType }) => familyOf(instanceType)));
    const families = new Set<string>();
    for (const line of lines) {
      const reason = reasons.get(keyOf(line));
      if (reason === undefined) return false;
      if (reason === NO_CAPACITY && !accelerated.has(line.instanceType)) families.add(familyOf(line.instanceType));
    }
    return families.size >= Math.max(MIN_FAMILIES, Math.min(ENOUGH_FAMILIES, named.size));
  });
  if (refused.length === 0) return missing;
  const refusedPlaces = new Set(refused.flatMap(([first]) => (first === undefined ? [] : placeOf(first))));
  return [
    ...missing.map((one) =>
      isGeneral(one) && refusedPlaces.has(placeOf(one)) ? { ...one, reason: REFUSED_WITH_ZONE } : one,
    ),
    ...refused.flatMap(([first]): readonly Missing[] => {
      if (first === undefined) return [];
      const { zone, capacityType } = first;
      return [{ instanceType: ANY_OFFERING, zone, capacityType, reason: REFUSED_ACROSS_FAMILIES }];
    }),
  ];
}

/**
 * Returns a predicate that is true for offerings of a zone and capacity type that refused across families. They are used only by
 * claims for which a type has no other offering, so that a claim that insists on the zone may still find the last type that EC2 has.
 */
export function doubt(
  marks: readonly UnavailableOffering[],
): (of: Pick<OfferingKey, 'zone' | 'capacityType'>) => boolean {
  const places = new Set(marks.filter(isZoneRefusal).map(placeOf));
  return (offering) => places.has(placeOf(offering));
}

/** Missing in any launch, not only with one placement or from one reservation. */
function isGeneral({ subnetId, reservationId, placementGroupId, tenancy }: Missing): boolean {
  return [subnetId, reservationId, placementGroupId, tenancy].every((one) => one === undefined);
}

/** C65: the labels that select the image of a type name its accelerators. */
function isAccelerated({ imageLabels = {} }: LaunchType): boolean {
  return Object.keys(imageLabels).some((label) => label !== ARCH);
}

function placeOf({ zone, capacityType }: Pick<OfferingKey, 'zone' | 'capacityType'>): string {
  return `${capacityType}/${zone}`;
}

function keyOf({ instanceType, ...place }: Pick<LaunchOption, 'instanceType' | 'zone' | 'capacityType'>): string {
  return `${placeOf(place)}/${instanceType}`;
}

function familyOf(instanceType: string): string {
  return instanceType.split('.')[0] ?? instanceType;
}
