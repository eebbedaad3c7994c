/** What EC2 says of an instance type, whatever the NodeClass: DescribeInstanceTypes cut to what we compute from. */
export interface InstanceTypeFacts {
  readonly name: string;
  readonly architecture: 'amd64' | 'arm64';
  readonly vcpus: number;
  readonly memoryMib: number;
  /** Empty on bare metal, as EC2 leaves it out there. */
  readonly hypervisor: string;
  readonly bareMetal: boolean;
  readonly usageClasses: readonly ('on-demand' | 'spot')[];
  readonly cpuManufacturer?: 'aws' | 'intel' | 'amd' | undefined;
  readonly sustainedClockMhz?: number | undefined;
  readonly encryptionInTransit: boolean;
  readonly nitroEnclaves: boolean;
  /** Whether an instance can run virtual machines itself. @default false */
  readonly nestedVirtualization?: boolean | undefined;
  /** @default all of them */
  readonly placementStrategies?: readonly PlacementStrategy[] | undefined;
  /** Of the default network card. */
  readonly maxNetworkInterfaces: number;
  readonly ipv4PerInterface: number;
  /** Of all network cards by their index. @default one, of maxNetworkInterfaces, that takes EFA where the type has any */
  readonly networkCards?: readonly NetworkCard[] | undefined;
  readonly efaInterfaces: number;
  /** Branch interfaces for security groups per pod; absent where the type has no trunking. */
  readonly branchInterfaces?: number | undefined;
  /** Of all network cards together. */
  readonly baselineNetworkMbps?: number | undefined;
  /** Maximum EBS bandwidth, only where the type is EBS-optimized by default. */
  readonly ebsMbps?: number | undefined;
  /** All instance-store disks together, in decimal gigabytes. */
  readonly instanceStoreGb?: number | undefined;
  /** The same, only where the disks are NVMe. */
  readonly localNvmeGb?: number | undefined;
  /** Names and manufacturers as EC2 spells them. The count of a fraction of a GPU is 0. */
  readonly gpus: readonly {
    readonly name: string;
    readonly manufacturer: string;
    readonly count: number;
    readonly memoryMib: number;
  }[];
  readonly neuron: readonly { readonly name: string; readonly count: number; readonly coresPerDevice: number }[];
  /** Inference accelerators that are not Neuron devices. */
  readonly accelerators: readonly { readonly name: string; readonly manufacturer: string; readonly count: number }[];
}

export interface NetworkCard {
  /** The most that it takes, of all kinds together. */
  readonly interfaces: number;
  /** Whether one of them may carry EFA. */
  readonly efa: boolean;
}

export const PLACEMENT_STRATEGIES = ['cluster', 'partition', 'spread'] as const;
export type PlacementStrategy = (typeof PLACEMENT_STRATEGIES)[number];

/** *Shape:* the default card first; never empty. */
export function networkCardsOf(facts: InstanceTypeFacts): readonly NetworkCard[] {
  return facts.networkCards ?? [{ interfaces: facts.maxNetworkInterfaces, efa: facts.efaInterfaces > 0 }];
}

/** Whether the hardware is AWS's Nitro, which all bare metal is. */
export function isNitro({ hypervisor, bareMetal }: InstanceTypeFacts): boolean {
  return bareMetal || hypervisor === 'nitro';
}

/** Where and at what price a type is for sale in one region, before any cluster's subnets or capacity are considered. */
export interface RegionalOffering {
  readonly type: string;
  readonly zone: string;
  readonly zoneId: string;
  readonly onDemandUsdPerHour?: number | undefined;
  readonly spotUsdPerHour?: number | undefined;
}

/** What the catalogue function keeps for one region. */
export interface Catalogue {
  readonly region: string;
  /** RFC 3339: when the figures were read, or the date of the shipped table. */
  readonly asOf: string;
  /** When on-demand prices were last read from AWS. @default never: they are the shipped ones */
  readonly onDemandAsOf?: string;
  /** When spot prices were last read from AWS. @default never: they are the shipped ones, or the on-demand ones (C29) */
  readonly spotAsOf?: string;
  readonly facts: readonly InstanceTypeFacts[];
  readonly offerings: readonly RegionalOffering[];
}
