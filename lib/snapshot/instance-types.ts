import { milliValue, unitValue } from '../apis/formats/quantity.ts';
import type { ResourceList } from '../apis/kubernetes.ts';
import { ARCH, CAPACITY_TYPE, INSTANCE_TYPE, OS, ZONE } from '../apis/labels.ts';
import { optional } from '../apis/optional.ts';
import { unavailability } from '../core/instance-type/offerings/unavailable.ts';
import { doubt, vcpusOf } from '../core/instance-type/offerings/zone-refusals.ts';
import type { UnavailableOffering } from '../core/model/decision.ts';
import type { InstanceType, LabelValues, Offering, Reservation } from '../core/model/instance-type.ts';
import { add, type Resources, subtract } from '../core/resources/resources.ts';
import type { GivenInstanceType, GivenOffering } from './instance-type-schema.ts';

export interface OfferingOptions {
  readonly unavailable: readonly UnavailableOffering[];
  /** F17: whether reserved offerings are available. */
  readonly reservedCapacity: boolean;
  /** The types are complete. @default omitted values are derived */
  readonly complete?: boolean;
}

/**
 * The instance types of a snapshot, in its order. *Cost:* O(types × labels); amounts and requirements shared by many types are
 * parsed once.
 */
export function instanceTypesFrom(
  given: readonly GivenInstanceType[],
  { unavailable, reservedCapacity, complete = false }: OfferingOptions,
): readonly InstanceType[] {
  const isUnavailable = unavailability(unavailable);
  const isDoubted = doubt(unavailable);
  const resources = resourceReader();
  const list = listReader();
  return given.map((type) => {
    const { name, ebsVolumes, capacityOverlaid, launch } = type;
    const capacity = resources(type.capacity);
    const offerings = type.offerings.map((one) =>
      offeringFrom(
        { ...one, ...(complete ? givenReservation(one) : reservationOf(name, one)) },
        {
          lacking: !complete && one.capacityType === 'reserved' && !reservedCapacity,
          refused: !complete && isUnavailable({ type: name, ...one }),
          doubted: !complete && isDoubted(one, vcpusOf({ capacity })),
          resources,
        },
      ),
    );
    return {
      name,
      capacity,
      allocatable:
        type.allocatable === undefined ? subtract(capacity, overheadOf(type, resources)) : resources(type.allocatable),
      requirements: Object.fromEntries(
        Object.entries(complete ? (type.requirements ?? {}) : withMissing(type, offerings)).map(([key, values]) => [
          key,
          list(key, values),
        ]),
      ),
      offerings,
      ...optional({ ebsVolumes, capacityOverlaid, launch }),
    };
  });
}

function offeringFrom(
  given: GivenOffering & Pick<Offering, 'reservation'>,
  {
    lacking,
    refused,
    doubted,
    resources,
  }: {
    readonly lacking: boolean;
    readonly refused: boolean;
    readonly doubted: boolean;
    readonly resources: (list: ResourceList) => Resources;
  },
): Offering {
  const { zone, zoneId, capacityType, price, available = true, reservation, allocatable, priceOverlaid } = given;
  const shortage = given.shortage ?? (available ? shortageFrom(refused, doubted) : undefined);
  return {
    zone,
    ...optional({ zoneId }),
    capacityType,
    priceUsdPerHour: price,
    available: available && !lacking && !refused,
    ...optional({ shortage }),
    ...optional({ reservation }),
    ...(allocatable === undefined ? {} : { allocatable: resources(allocatable) }),
    ...optional({ priceOverlaid }),
  };
}

function shortageFrom(refused: boolean, doubted: boolean): Offering['shortage'] {
  if (refused) return 'missing';
  return doubted ? 'doubted' : undefined;
}

function givenReservation({ reservationId: id, reservationCapacity: instances = 1, reservationKind }: GivenOffering): {
  readonly reservation?: Reservation;
} {
  if (id === undefined) return {};
  return { reservation: { id, instances, ...optional({ kind: reservationKind }) } };
}

/** B59: a reserved offering without a reservation ID gets its own reservation with one instance. */
function reservationOf(
  type: string,
  { zone, capacityType, reservationId: id = `${type}-${zone}`, reservationCapacity: instances = 1 }: GivenOffering,
): { readonly reservation?: Reservation } {
  return capacityType === 'reserved' ? { reservation: { id, instances } } : {};
}

/** C13: separate lists or one list. */
function overheadOf({ overhead = {} }: GivenInstanceType, resources: (list: ResourceList) => Resources): Resources {
  return add(
    ...Object.entries(overhead).map(([name, part]) => resources(typeof part === 'object' ? part : { [name]: part })),
  );
}

/** The labels of a type, with defaults for omitted ones. */
function withMissing({ name, requirements }: GivenInstanceType, offerings: readonly Offering[]): LabelValues {
  const sold = offerings.filter(({ available }) => available);
  const missing = {
    [INSTANCE_TYPE]: [name],
    [ARCH]: ['amd64'],
    [OS]: ['linux'],
    [ZONE]: sold.map(({ zone }) => zone),
    [CAPACITY_TYPE]: sold.map(({ capacityType }) => capacityType),
  };
  return {
    ...requirements,
    ...Object.fromEntries(Object.entries(missing).filter(([key]) => !Object.hasOwn(requirements ?? {}, key))),
  };
}

/** Lists that many types share are one. */
function listReader(): (key: string, values: readonly string[]) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (key, values) => {
    const name = JSON.stringify([key, ...values]);
    const before = known.get(name);
    if (before !== undefined) return before;
    const made = [...new Set(values)];
    known.set(name, made);
    return made;
  };
}

function resourceReader(): (list: ResourceList) => Resources {
  const millis = new Map<string | number, number>();
  const units = new Map<string | number, number>();
  const amount = (name: string, quantity: string | number): number => {
    const known = name === 'cpu' ? millis : units;
    const value = known.get(quantity) ?? (name === 'cpu' ? milliValue(quantity) : unitValue(quantity));
    known.set(quantity, value);
    return value;
  };
  return (list) => Object.fromEntries(Object.entries(list).map(([name, quantity]) => [name, amount(name, quantity)]));
}
