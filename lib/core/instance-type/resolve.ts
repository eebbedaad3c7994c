import type { AmiFamily } from '../../apis/ami-family.ts';
import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { CAPACITY_TYPE, REGION, ZONE, ZONE_ID } from '../../apis/labels.ts';
import { requirementsFromValues } from '../requirements/requirements.ts';
import { capacityOf } from './capacity.ts';
import type { Catalogue, InstanceTypeFacts } from './facts.ts';
import { instanceLabels, type LabelValues } from './instance-labels.ts';
import type { InstanceType, Offering } from './instance-type.ts';
import { type AvailabilityOptions, offeringsOf } from './offerings.ts';
import { allocatableOf } from './overhead.ts';

/**
 * The instance types of a region as one NodeClass makes them, in the catalogue's order.
 * *Shape:* only types that the region sells at a known price and that the AMI family can boot. Zones and capacity types
 * among the requirements are those of the available offerings.
 * *Cost:* O(types × zones). *Source:* C1–C29.
 */
export function instanceTypesFor(
  catalogue: Catalogue,
  nodeClass: EC2NodeClass,
  options: AvailabilityOptions = {},
): readonly InstanceType[] {
  const family = amiFamilyOf(nodeClass);
  const regionalByType = Map.groupBy(catalogue.offerings, ({ type }) => type);
  return catalogue.facts.flatMap((facts) => {
    const offerings = offeringsOf(facts, regionalByType.get(facts.name) ?? [], options);
    if (offerings.length === 0 || !boots(family, facts)) return [];
    const capacity = capacityOf(facts, nodeClass);
    return [
      {
        name: facts.name,
        capacity,
        allocatable: allocatableOf(facts, nodeClass, capacity),
        requirements: requirementsFromValues({
          ...instanceLabels(facts, family),
          ...offeringLabels(offerings),
          [REGION]: [catalogue.region],
        }),
        offerings,
      },
    ];
  });
}

/** C27: Amazon Linux 2023 needs a newer Arm than the first Graviton. */
function boots(family: AmiFamily, { name }: InstanceTypeFacts): boolean {
  return family !== 'AL2023' || !name.startsWith('a1.');
}

function offeringLabels(offerings: readonly Offering[]): LabelValues {
  const available = offerings.filter((offering) => offering.available);
  return {
    [ZONE]: distinct(available.map(({ zone }) => zone)),
    [ZONE_ID]: distinct(available.flatMap(({ zoneId }) => zoneId ?? [])),
    [CAPACITY_TYPE]: distinct(available.map(({ capacityType }) => capacityType)),
  };
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
