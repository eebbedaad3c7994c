import type { CapacityType } from '../../lib/apis/labels.ts';
import type { InstanceType, Offering } from '../../lib/core/model/instance-type.ts';
import type { Resources } from '../../lib/core/resources/resources.ts';

export const ZONES = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'] as const;
const GIB = 2 ** 30;

export interface InstanceTypeOptions {
  readonly name?: string;
  readonly cpu?: number;
  readonly memoryGib?: number;
  readonly pods?: number;
  readonly zones?: readonly string[];
  readonly capacityTypes?: readonly CapacityType[];
  /** The on-demand price. Spot costs 40% of it. */
  readonly price?: number;
  readonly arch?: 'amd64' | 'arm64';
  /** Values by label, in addition to those of every type. An empty list means that the label is absent. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  readonly extended?: Resources;
  readonly ebsVolumes?: number;
  readonly offerings?: readonly Offering[];
}

/** An m5.large with 2 CPUs and 8 GiB in three zones and both capacity types. All of its capacity is allocatable. */
export function anInstanceType(options: InstanceTypeOptions = {}): InstanceType {
  const { name = 'm5.large', cpu = 2, memoryGib = 8, pods = 29, zones = ZONES, arch = 'amd64' } = options;
  const { capacityTypes = ['on-demand', 'spot'], price = cpu * 0.05 } = options;
  const capacity = { cpu: cpu * 1_000, memory: memoryGib * GIB, pods, ...options.extended };
  const offerings =
    options.offerings ?? zones.flatMap((zone) => capacityTypes.map((one) => anOffering(zone, one, price)));
  const [family = '', size = ''] = name.split('.');
  const sold = offerings.filter((offering) => offering.available);
  return {
    name,
    capacity,
    allocatable: capacity,
    requirements: {
      'node.kubernetes.io/instance-type': [name],
      'kubernetes.io/arch': [arch],
      'kubernetes.io/os': ['linux'],
      'topology.kubernetes.io/zone': [...new Set(sold.map((offering) => offering.zone))],
      'topology.k8s.aws/zone-id': [...new Set(sold.flatMap((offering) => offering.zoneId ?? []))],
      'karpenter.sh/capacity-type': [...new Set(sold.map((offering) => offering.capacityType))],
      'karpenter.k8s.aws/instance-family': [family],
      'karpenter.k8s.aws/instance-category': [family.slice(0, 1)],
      'karpenter.k8s.aws/instance-size': [size],
      'karpenter.k8s.aws/instance-cpu': [String(cpu)],
      'karpenter.k8s.aws/instance-gpu-count': [],
      'karpenter.k8s.aws/instance-accelerator-count': [],
      ...options.values,
    },
    offerings,
    ...(options.ebsVolumes === undefined ? {} : { ebsVolumes: options.ebsVolumes }),
  };
}

/** An available offering; spot costs 40% of the price. */
export function anOffering(zone: string, capacityType: CapacityType, price = 0.1): Offering {
  return {
    zone,
    zoneId: `euw3-az${zone.charCodeAt(zone.length - 1) - 96}`,
    capacityType,
    priceUsdPerHour: capacityType === 'spot' ? price * 0.4 : price,
    available: true,
  };
}

/** m5.large, m5.xlarge, m5.2xlarge: 2, 4 and 8 CPUs with 4 GiB each. */
export function someTypes(): readonly InstanceType[] {
  return [
    anInstanceType({ name: 'm5.large', cpu: 2, memoryGib: 8 }),
    anInstanceType({ name: 'm5.xlarge', cpu: 4, memoryGib: 16 }),
    anInstanceType({ name: 'm5.2xlarge', cpu: 8, memoryGib: 32 }),
  ];
}
