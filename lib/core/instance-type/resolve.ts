import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { ARCH, CAPACITY_TYPE, REGION, RESERVATION_LABELS, ZONE, ZONE_ID } from '../../apis/labels.ts';
import { imageFor } from '../model/images.ts';
import type { InstanceType, LabelValues, LaunchTraits, Offering, TypeKubelet } from '../model/instance-type.ts';
import { type LearnedMemory, learnedMemoryOf } from '../model/learned-memory.ts';
import type { ResolvedImage, ResolvedPlacementGroup } from '../model/resolved-node-class.ts';
import { type CapacitySettings, capacityOf } from './capacity.ts';
import { whyNotBootable } from './compatibility.ts';
import { type Catalogue, type InstanceTypeFacts, networkCardsOf } from './facts.ts';
import { instanceLabels } from './instance-labels.ts';
import type { AvailabilityOptions } from './offerings/availability.ts';
import { offeringsOf } from './offerings/offerings.ts';
import { reservationLabels } from './offerings/reservation-labels.ts';
import { allocatableOf } from './overhead.ts';
import { kubeletWorker, withTypeKubelet } from './type-kubelet.ts';
import { valuesOf } from './type-requirements.ts';

export interface InstanceTypeOptions extends AvailabilityOptions, CapacitySettings {
  /** The placement group that the NodeClass selects (C68). @default none */
  readonly placementGroup?: ResolvedPlacementGroup | undefined;
  /**
   * The images of the NodeClass: types without one are left out, and learned memory applies to one image. @default not known: all types
   * have one, and learned memory is ignored
   */
  readonly images?: readonly ResolvedImage[];
  /** C4. @default none */
  readonly learnedMemory?: readonly LearnedMemory[];
  /**
   * The result for the same catalogue, NodeClass and options, except zones and missing capacity. Types with the same offerings are
   * used again, so that what is computed from them is computed once. @default none
   */
  readonly before?: readonly InstanceType[];
}

/**
 * The instance types of a region with the settings of one NodeClass, in the order of the catalogue.
 * *Shape:* only types with a price in the region that can be launched with the NodeClass. The zones and capacity types in
 * the requirements are those of the available offerings.
 * *Cost:* O(types × zones). *Source:* C1–C29.
 */
export function instanceTypesFor(
  catalogue: Catalogue,
  nodeClass: EC2NodeClass,
  options: InstanceTypeOptions = {},
): readonly InstanceType[] {
  const regionalByType = Map.groupBy(catalogue.offerings, ({ type }) => type);
  const before = new Map(options.before?.map((type) => [type.name, type]));
  const make = typeMaker(catalogue.region, nodeClass, options);
  return catalogue.facts.flatMap((facts) => {
    const offerings = offeringsOf(facts, regionalByType.get(facts.name) ?? [], options);
    if (offerings.length === 0) return [];
    const earlier = before.get(facts.name);
    if (earlier !== undefined && areSame(earlier.offerings, offerings)) return [earlier];
    if (whyNotBootable(facts, nodeClass, options.placementGroup) !== undefined) return [];
    const type = make(facts, offerings);
    return hasImage(facts, type, options.images) ? [type] : [];
  });
}

/** C62, C65: every launch leaves a type without an image out, so no node is planned as one. */
function hasImage(
  { architecture }: InstanceTypeFacts,
  { launch }: InstanceType,
  images: InstanceTypeOptions['images'] = [],
) {
  return images.length === 0 || imageFor({ architecture, ...launch }, images) !== undefined;
}

/** For the offerings of one type in one catalogue, which differ only in what is available. */
function areSame(a: readonly Offering[], b: readonly Offering[]): boolean {
  return (
    a.length === b.length &&
    a.every(
      ({ available, shortage, reservation }, at) =>
        available === b[at]?.available &&
        shortage === b[at]?.shortage &&
        reservation?.instances === b[at]?.reservation?.instances,
    )
  );
}

/** Computes once for all types what depends on the NodeClass only. */
function typeMaker(
  region: string,
  nodeClass: EC2NodeClass,
  options: InstanceTypeOptions,
): (facts: InstanceTypeFacts, offerings: readonly Offering[]) => InstanceType {
  const family = amiFamilyOf(nodeClass);
  const kubeletOf = kubeletWorker(nodeClass, options);
  const learnedOf = learnedMemoryOf(options.learnedMemory ?? [], options.images ?? []);
  return (facts, offerings) => {
    const requirements: LabelValues = {
      ...instanceLabels(facts, family),
      ...offeringLabels(offerings),
      [REGION]: [region],
    };
    const { kubelet } = kubeletOf(facts);
    const launch = launchTraits(facts, requirements, kubelet);
    const { name, architecture } = facts;
    const learnedMemoryBytes = learnedOf({ name, architecture, ...launch });
    const own = withTypeKubelet(nodeClass, kubelet);
    const capacity = capacityOf(facts, own, { ...options, learnedMemoryBytes });
    const allocatable = allocatableOf(facts, own, capacity);
    return { name, capacity, allocatable, requirements, offerings, ...ebsVolumesOf(facts, own), launch };
  };
}

/** B44. *Source:* the page "Amazon EBS volume limits for Amazon EC2 instances" of the EC2 user guide. */
function ebsVolumesOf(
  { ebsAttachments }: InstanceTypeFacts,
  nodeClass: EC2NodeClass,
): Pick<InstanceType, 'ebsVolumes'> {
  if (ebsAttachments === undefined) return {};
  const { blockDeviceMappings = [] } = nodeClass.spec;
  const byFamily = amiFamilyOf(nodeClass) === 'Bottlerocket' ? 2 : 1;
  return { ebsVolumes: Math.max(1, ebsAttachments - (blockDeviceMappings.length || byFamily)) };
}

/** The launch traits of a type. *Shape:* without default values, so that the record of a claim stays small. */
function launchTraits(
  facts: InstanceTypeFacts,
  requirements: LabelValues,
  kubelet: TypeKubelet | undefined,
): LaunchTraits {
  const imageLabels = imageLabelsOf(requirements);
  const hasKubelet = kubelet !== undefined && Object.keys(kubelet).length > 0;
  return {
    ...(Object.keys(imageLabels).length > 1 ? { imageLabels } : {}),
    ...(hasKubelet ? { kubelet } : {}),
    ...(facts.efaInterfaces > 0 ? { efaInterfacesByCard: efaInterfacesByCard(facts) } : {}),
  };
}

/** C65: images differ by architecture and by the presence of accelerators. */
const IMAGE_LABELS = [
  ARCH,
  ...['instance-gpu-name', 'instance-gpu-manufacturer', 'instance-gpu-count'].map(owned),
  ...['instance-accelerator-name', 'instance-accelerator-manufacturer', 'instance-accelerator-count'].map(owned),
];

function owned(label: string): string {
  return `karpenter.k8s.aws/${label}`;
}

function imageLabelsOf(requirements: LabelValues): Labels {
  return Object.fromEntries(
    IMAGE_LABELS.flatMap((label) => {
      const [value] = valuesOf({ requirements }, label);
      return value === undefined ? [] : [[label, value]];
    }),
  );
}

/** C59: one EFA interface on each card that supports EFA, until the type's EFA interfaces are used; some types have more such cards. */
function efaInterfacesByCard(facts: InstanceTypeFacts): readonly number[] {
  let left = facts.efaInterfaces;
  return networkCardsOf(facts).map(({ efa }) => {
    if (!efa || left === 0) return 0;
    left -= 1;
    return 1;
  });
}

function offeringLabels(offerings: readonly Offering[]): LabelValues {
  const available = offerings.filter((offering) => offering.available);
  return {
    [ZONE]: distinct(available.map(({ zone }) => zone)),
    [ZONE_ID]: distinct(available.flatMap(({ zoneId }) => zoneId ?? [])),
    [CAPACITY_TYPE]: distinct(available.map(({ capacityType }) => capacityType)),
    ...labelsOfReservations(available),
  };
}

/** C22. */
function labelsOfReservations(available: readonly Offering[]): LabelValues {
  const labels = available.flatMap(({ reservation }) =>
    reservation === undefined ? [] : [reservationLabels(reservation)],
  );
  const all = (key: string): readonly string[] => distinct(labels.flatMap((one) => one[key] ?? []));
  return Object.fromEntries([...RESERVATION_LABELS].map((key) => [key, all(key)]));
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
