import type { RawInstanceType, RawOffering, RawSnapshot } from './raw-documents.ts';
import { type Amounts, amountsOf, lessThan, sumOf } from './raw-quantity.ts';
import { ABSENT, exactly, oneOf, type ValueSet } from './value-set.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE, ZONE_ID } from './well-known-labels.ts';

/** The labels and resources of a node of an instance type. */
export interface TypeView {
  readonly name: string;
  readonly capacity: Amounts;
  /** Capacity without the reservations of the kubelet, the system and the eviction threshold. */
  readonly allocatable: Amounts;
  /** All labels except those that an offering decides: zone, zone id, capacity type. */
  readonly labels: ReadonlyMap<string, ValueSet>;
  /** The offerings that have capacity. */
  readonly offerings: readonly RawOffering[];
}

export function typesByName(snapshot: RawSnapshot): ReadonlyMap<string, TypeView> {
  const { instanceTypes = [], instanceTypeNames: kept } = snapshot;
  const reserved = snapshot.options?.reservedCapacity ?? false;
  const those = instanceTypes.filter(({ name }) => kept === undefined || kept.includes(name));
  return new Map(those.map((type) => [type.name, viewOf(type, reserved)]));
}

function viewOf(type: RawInstanceType, reserved: boolean): TypeView {
  const capacity = amountsOf(type.capacity);
  return {
    name: type.name,
    capacity,
    allocatable: lessThan(capacity, overheadOf(type)),
    labels: labelsOf(type),
    offerings: type.offerings.filter((one) => one.available !== false && (reserved || one.capacityType !== 'reserved')),
  };
}

function overheadOf({ overhead = {} }: RawInstanceType): Amounts {
  const parts = Object.entries(overhead);
  return sumOf(
    ...parts.map(([name, part]) => (typeof part === 'object' ? amountsOf(part) : amountsOf({ [name]: part }))),
  );
}

function labelsOf({ name, requirements = {} }: RawInstanceType): ReadonlyMap<string, ValueSet> {
  const given = Object.entries(requirements)
    .filter(([key]) => !BY_OFFERING.has(key))
    .map(([key, values]) => [key, values.length === 0 ? ABSENT : oneOf(values)] as const);
  return new Map([...DEFAULTS, [INSTANCE_TYPE, exactly(name)], ...given]);
}

const BY_OFFERING = new Set([ZONE, ZONE_ID, CAPACITY_TYPE]);
const DEFAULTS = [
  ['kubernetes.io/arch', exactly('amd64')],
  ['kubernetes.io/os', exactly('linux')],
] as const;
