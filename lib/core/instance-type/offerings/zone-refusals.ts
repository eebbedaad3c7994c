import { ARCH } from '../../../apis/labels.ts';
import { ANY_OFFERING, type UnavailableMark, type UnavailableOffering } from '../../model/decision.ts';
import type { LaunchOption, LaunchType } from '../../model/node-claim-record.ts';
import type { Resources } from '../../resources/resources.ts';
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
 * all three that the request names there, it is marked as a whole, beside its offerings. The mark concerns types that are as large as
 * the smallest refused types of these families: a refusal says nothing about smaller ones. Such a mark is a hint: see `doubt`. A
 * capacity type that is refused in every zone has a mark in each. *Shape:* the missing offerings, then one mark for each zone and capacity type that
 * refused. Quotas, placement groups, dedicated hardware and accelerators say nothing about other launches.
 * *Cost:* O(requested offerings). *Source:* C35.
 */
export function withZoneRefusals({ requested, types, missing }: AnsweredLaunch): readonly Missing[] {
  const accelerated = new Set(types.filter(isAccelerated).map(({ name }) => name));
  const vcpus = new Map(types.map((type) => [type.name, vcpusOf(type)]));
  const reasons = new Map(missing.filter(isGeneral).map((one) => [keyOf(one), one.reason]));
  const places = Map.groupBy(requested, placeOf);
  const marks = [...places.values()].flatMap((lines): readonly Missing[] => {
    const named = new Set(lines.map(({ instanceType }) => familyOf(instanceType)));
    /** By family: the vCPUs of its smallest refused type. */
    const smallest = new Map<string, number>();
    for (const line of lines) {
      const { instanceType } = line;
      const reason = reasons.get(keyOf(line));
      if (reason === undefined) return [];
      if (reason !== NO_CAPACITY || accelerated.has(instanceType)) continue;
      const family = familyOf(instanceType);
      smallest.set(family, Math.min(smallest.get(family) ?? Infinity, vcpus.get(instanceType) ?? 0));
    }
    const enough = Math.max(MIN_FAMILIES, Math.min(ENOUGH_FAMILIES, named.size));
    const minVcpus = [...smallest.values()].toSorted((a, b) => a - b)[enough - 1];
    const [first] = lines;
    if (first === undefined || minVcpus === undefined) return [];
    const { zone, capacityType } = first;
    return [{ instanceType: ANY_OFFERING, zone, capacityType, minVcpus, reason: REFUSED_ACROSS_FAMILIES }];
  });
  if (marks.length === 0) return missing;
  const refused = new Set(marks.map(placeOf));
  const ofOfferings = missing.map((one) =>
    isGeneral(one) && one.nodeClass === undefined && refused.has(placeOf(one))
      ? { ...one, reason: REFUSED_WITH_ZONE }
      : one,
  );
  return [...ofOfferings, ...marks];
}

/**
 * Returns a predicate that is true for offerings of a zone and capacity type that refused types of this size, or smaller ones, across
 * families. They are used only by claims for which a type has no other offering, or for which all others are too expensive, so that a
 * claim that insists on the zone may still find the last type that EC2 has.
 */
export function doubt(
  marks: readonly UnavailableOffering[],
): (of: Pick<OfferingKey, 'zone' | 'capacityType'>, vcpus: number) => boolean {
  const places = Map.groupBy(marks.filter(isZoneRefusal), placeOf);
  return (offering, vcpus) => places.get(placeOf(offering))?.some(({ minVcpus = 0 }) => vcpus >= minVcpus) === true;
}

/** The vCPUs of a type by its capacity, whose unit is a thousandth. */
export function vcpusOf({ capacity }: { readonly capacity: Resources }): number {
  return (capacity['cpu'] ?? 0) / 1_000;
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
