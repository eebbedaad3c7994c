import type { ResourceList } from '../../apis/kubernetes.ts';
import type { CapacityType } from '../../apis/labels.ts';
import { optional } from '../../apis/optional.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import type { InstanceType } from '../../core/model/instance-type.ts';
import { formatResources, subtract } from '../../core/resources/resources.ts';

/** The output of `kerf instance-types --output json`, which a snapshot can use as its `instanceTypesFile`. */
export interface InstanceTypesOutput {
  readonly region: string;
  readonly asOf: string;
  readonly onDemandAsOf?: string;
  readonly spotAsOf?: string;
  readonly nodeClass: string;
  readonly instanceTypes: readonly GivenInstanceType[];
}

interface GivenInstanceType {
  readonly name: string;
  readonly capacity: ResourceList;
  /** The sum of kube-reserved, system-reserved and the eviction threshold (C13). */
  readonly overhead: ResourceList;
  readonly requirements: Readonly<Record<string, readonly string[]>>;
  readonly offerings: readonly {
    readonly capacityType: CapacityType;
    readonly zone: string;
    readonly zoneId: string | undefined;
    readonly price: number;
    readonly available: boolean;
  }[];
}

export function instanceTypesOutput(
  { region, asOf, onDemandAsOf, spotAsOf }: Catalogue,
  nodeClass: string,
  types: readonly InstanceType[],
): InstanceTypesOutput {
  return {
    region,
    asOf,
    ...optional({ onDemandAsOf, spotAsOf }),
    nodeClass,
    instanceTypes: types.map(given),
  };
}

function given({ name, capacity, allocatable, requirements, offerings }: InstanceType): GivenInstanceType {
  const overhead = Object.entries(subtract(capacity, allocatable)).filter(([, amount]) => amount !== 0);
  return {
    name,
    capacity: formatResources(capacity),
    overhead: formatResources(Object.fromEntries(overhead)),
    requirements,
    offerings: offerings.map(({ capacityType, zone, zoneId, priceUsdPerHour, available }) => ({
      capacityType,
      zone,
      zoneId,
      price: priceUsdPerHour,
      available,
    })),
  };
}
