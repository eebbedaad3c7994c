import type { ResourceList } from '../apis/kubernetes.ts';
import type { CapacityType } from '../apis/labels.ts';
import { BOOLEAN, COUNT, enumSchema, listOf, STRING, STRING_MAP, STRINGS, TEXT } from '../apis/schemas/schema.ts';
import type { LaunchTraits, Reservation } from '../core/model/instance-type.ts';
import { open, RESOURCE_LIST, SIGNED_RESOURCE_LIST } from './open-schema.ts';
import { OVERHEAD } from './pod-schema.ts';
import { CAPACITY_TYPE } from './record-schema.ts';

export interface GivenOffering {
  readonly capacityType: CapacityType;
  readonly zone: string;
  readonly zoneId?: string;
  /** USD per hour. */
  readonly price: number;
  readonly available?: boolean;
  /** Why it is unavailable, or used only if its type has no other. @default by the unavailable offerings */
  readonly shortage?: 'missing' | 'doubted';
  /** For reserved capacity. */
  readonly reservationId?: string;
  /** The number of available instances of the reservation. */
  readonly reservationCapacity?: number;
  readonly reservationKind?: NonNullable<Reservation['kind']>;
  /** The allocatable resources of its nodes. @default those of the type */
  readonly allocatable?: ResourceList;
  readonly priceOverlaid?: true;
}

export interface GivenInstanceType {
  readonly name: string;
  readonly capacity: ResourceList;
  /** Separate lists for kubeReserved, systemReserved and evictionThreshold, or one list with the sums. */
  readonly overhead?: Readonly<Record<string, ResourceList | string | number>>;
  /** Values by label; an empty list means that the label is absent. */
  readonly requirements?: Readonly<Record<string, readonly string[]>>;
  readonly offerings: readonly GivenOffering[];
  /** The allocatable resources of its nodes. @default capacity minus overhead */
  readonly allocatable?: ResourceList;
  /** The NodePools to which this entry applies; several entries may then have the same name. @default all NodePools */
  readonly nodePools?: readonly string[];
  /** The most EBS volumes that pods can attach to a node. @default not known */
  readonly ebsVolumes?: number;
  readonly capacityOverlaid?: true;
  readonly launch?: LaunchTraits;
}

const OFFERING = open(
  {
    capacityType: CAPACITY_TYPE,
    zone: TEXT,
    zoneId: STRING,
    price: { type: 'number', minimum: 0 },
    available: BOOLEAN,
    shortage: enumSchema('missing', 'doubted'),
    reservationId: TEXT,
    reservationCapacity: COUNT,
    reservationKind: enumSchema('default', 'capacity-block', 'interruptible'),
    allocatable: SIGNED_RESOURCE_LIST,
    priceOverlaid: BOOLEAN,
  },
  ['capacityType', 'zone', 'price'],
);

export const INSTANCE_TYPE = open(
  {
    name: TEXT,
    capacity: RESOURCE_LIST,
    overhead: OVERHEAD,
    requirements: { type: 'object', additionalProperties: STRINGS },
    offerings: listOf(OFFERING),
    allocatable: SIGNED_RESOURCE_LIST,
    nodePools: STRINGS,
    ebsVolumes: COUNT,
    capacityOverlaid: BOOLEAN,
    launch: open({ imageLabels: STRING_MAP, kubelet: open({}), efaInterfacesByCard: listOf({ type: 'number' }) }),
  },
  ['name', 'capacity', 'offerings'],
);
