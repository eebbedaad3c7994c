import type { CapacityType } from '../../../apis/labels.ts';
import { CAPACITY_TYPES, MIN_VALUES_RELAXED } from '../../../apis/labels.ts';
import { markedClass, placementIn, tenancyOf, unavailability } from '../../instance-type/offerings/unavailable.ts';
import { doubt, vcpusOf } from '../../instance-type/offerings/zone-refusals.ts';
import type { UnavailableOffering } from '../../model/decision.ts';
import { imageFor } from '../../model/images.ts';
import type { LaunchOption, NodeClaimRecord } from '../../model/node-claim-record.ts';
import type { ResolvedNodeClass } from '../../model/resolved-node-class.ts';
import { requirementsFrom } from '../../requirements/requirements.ts';
import { type AddressesInFlight, roomiestSubnets } from './launch-subnets.ts';
import type { FleetLine } from './launch-templates.ts';
import { reservedLines } from './reserved-lines.ts';

/** The available subnets, images and offerings. */
export interface LaunchMarket {
  readonly resolved: ResolvedNodeClass;
  readonly unavailable: readonly UnavailableOffering[];
  /** @default no launch is in progress */
  readonly inFlight?: AddressesInFlight;
}

/**
 * EC2 accepts 300 overrides, but rejects 100 types in 3 zones because the request is too large. It accepts 60 types in 3 zones.
 * *Source:* aws/karpenter-provider-aws#5776, kubernetes-sigs/karpenter#1070; 300 lines are 90 KB.
 */
const MAX_LINES = 200;

/** C43: reserved, then spot, then on-demand. */
const PREFERENCE: readonly CapacityType[] = CAPACITY_TYPES.toReversed();

/**
 * The lines of the next request: those of the preferred capacity type, cheapest first. *Shape:* empty if no option is
 * available. *Source:* C38, C43, C45.
 */
export function fleetLines(available: readonly FleetLine[], market: LaunchMarket): readonly FleetLine[] {
  const lines = withoutDoubtedLines(available, market);
  const capacityType = PREFERENCE.find((one) => lines.some((line) => line.capacityType === one));
  const chosen = lines.filter((line) => line.capacityType === capacityType);
  if (capacityType !== 'reserved') return withinLimit(chosen);
  return withinLimit(reservedLines(chosen, market.resolved.capacityReservations ?? []));
}

/**
 * B24: the first minValues of the claim that its available types do not satisfy. The policy BestEffort relaxes them, and they do not count
 * for reserved capacity. *Shape:* undefined if they satisfy all.
 */
export function lackingValues(
  { spec, types, annotations }: NodeClaimRecord,
  lines: readonly FleetLine[],
): string | undefined {
  if (annotations[MIN_VALUES_RELAXED] === 'true' || lines.some((line) => line.capacityType === 'reserved')) return;
  const available = [...new Set(lines.map(({ type }) => type))];
  for (const { key, minValues = 0 } of spec.requirements) {
    const values = new Set(available.flatMap(({ counted }) => counted?.[key] ?? [])).size;
    // Records of an earlier version do not have the values.
    if (values < minValues && types.some(({ counted }) => counted?.[key] !== undefined))
      return `minValues requires ${minValues} values of ${key}, but the types with capacity have ${values}`;
  }
  return undefined;
}

/** C35: zones that refused types of their size across families are left out while other lines remain. */
function withoutDoubtedLines(lines: readonly FleetLine[], { unavailable }: LaunchMarket): readonly FleetLine[] {
  const isDoubted = doubt(unavailable);
  const certain = lines.filter((line) => !isDoubted(line, vcpusOf(line.type)));
  return certain.length === 0 ? lines : certain;
}

/** The options with their subnets and images, without options that lack capacity, a subnet or an image. */
export function linesToBeHad(record: NodeClaimRecord, market: LaunchMarket): readonly FleetLine[] {
  const { resolved, unavailable, inFlight = new Map() } = market;
  const bootable = new Map(
    record.types.flatMap((type) => {
      const image = imageFor(type, resolved.images);
      return image === undefined ? [] : [[type.name, { type, imageId: image.id }] as const];
    }),
  );
  const subnets = roomiestSubnets(resolved.subnets, inFlight, unavailable);
  const isUnavailableOption = unavailableOptions(record, market);
  return record.options.flatMap((option) => {
    const found = bootable.get(option.instanceType);
    const subnet = subnets.get(option.zone);
    if (found === undefined || subnet === undefined || isUnavailableOption(option)) return [];
    return [{ ...option, subnetId: subnet.id, ...found }];
  });
}

/** Returns a predicate: true for options that recently lacked capacity, or whose reservation has no available instances. */
export function unavailableOptions(
  { cluster, spec }: NodeClaimRecord,
  { resolved, unavailable }: LaunchMarket,
): (option: LaunchOption) => boolean {
  const others = {
    ...tenancyOf(requirementsFrom(spec.requirements)),
    nodeClass: markedClass(cluster, spec.nodeClassRef.name),
  };
  const isUnavailable = unavailability(unavailable, placementIn(resolved.placementGroup, others));
  const open = new Set(
    (resolved.capacityReservations ?? [])
      .filter(({ state, availableInstances }) => state === 'active' && availableInstances > 0)
      .map(({ id }) => id),
  );
  return ({ instanceType, zone, capacityType, reservationId }) =>
    isUnavailable({ type: instanceType, zone, capacityType, reservationId }) ||
    (capacityType === 'reserved' && !open.has(reservationId ?? ''));
}

/**
 * Removes the most expensive lines, but keeps the cheapest of each zone and of each type, so that no zone is lost, and no type that
 * minValues needs (C42). If there are too many types, the most expensive are lost.
 */
function withinLimit(lines: readonly FleetLine[]): readonly FleetLine[] {
  if (lines.length <= MAX_LINES) return lines;
  // The first line of each is the last that the map gets.
  const reversed = lines.toReversed();
  const byZone = new Map(reversed.map((line) => [line.zone, line]));
  const byType = new Map(reversed.map((line) => [line.instanceType, line]));
  const isCheapestOfType = (line: FleetLine): boolean => byType.get(line.instanceType) === line;
  const byRank = [...byZone.values(), ...lines.filter(isCheapestOfType), ...lines];
  const kept = new Set([...new Set(byRank)].slice(0, MAX_LINES));
  return lines.filter((line) => kept.has(line));
}
