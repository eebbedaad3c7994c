/** The part of DescribeInstanceTypes that Kerf uses, independent of a NodeClass. */
export interface InstanceTypeFacts {
  readonly name: string;
  readonly architecture: 'amd64' | 'arm64';
  readonly vcpus: number;
  readonly memoryMib: number;
  /** Empty on bare metal, where EC2 returns none. */
  readonly hypervisor: string;
  readonly bareMetal: boolean;
  readonly usageClasses: readonly ('on-demand' | 'spot')[];
  readonly cpuManufacturer?: 'aws' | 'intel' | 'amd' | undefined;
  readonly sustainedClockMhz?: number | undefined;
  readonly encryptionInTransit: boolean;
  readonly nitroEnclaves: boolean;
  /** Whether an instance can run virtual machines. @default false */
  readonly nestedVirtualization?: boolean | undefined;
  /** @default all strategies */
  readonly placementStrategies?: readonly PlacementStrategy[] | undefined;
  /** The limit of the default network card. */
  readonly maxNetworkInterfaces: number;
  readonly ipv4PerInterface: number;
  /** The network cards by index. @default one card with maxNetworkInterfaces, which supports EFA if the type has EFA interfaces */
  readonly networkCards?: readonly NetworkCard[] | undefined;
  readonly efaInterfaces: number;
  /** Branch interfaces for security groups per pod; absent if the type does not support trunking. */
  readonly branchInterfaces?: number | undefined;
  /** The sum of all network cards. */
  readonly baselineNetworkMbps?: number | undefined;
  /** Maximum EBS bandwidth; absent if the type is not EBS-optimized by default. */
  readonly ebsMbps?: number | undefined;
  /** The most EBS volumes that an instance attaches, with its root volume; disks and accelerators of the type are subtracted. @default not known */
  readonly ebsAttachments?: number | undefined;
  /** The sum of all instance-store disks, in decimal gigabytes. */
  readonly instanceStoreGb?: number | undefined;
  /** The same; absent if the disks are not NVMe. */
  readonly localNvmeGb?: number | undefined;
  /** Names and manufacturers in the spelling of EC2. The count is 0 for a fraction of a GPU. */
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
  /** The maximum number of interfaces of all kinds. */
  readonly interfaces: number;
  /** Whether one of them can use EFA. */
  readonly efa: boolean;
}

export const PLACEMENT_STRATEGIES = ['cluster', 'partition', 'spread'] as const;
export type PlacementStrategy = (typeof PLACEMENT_STRATEGIES)[number];

/** The network cards of the type. *Shape:* the default card first; never empty. */
export function networkCardsOf(facts: InstanceTypeFacts): readonly NetworkCard[] {
  return facts.networkCards ?? [{ interfaces: facts.maxNetworkInterfaces, efa: facts.efaInterfaces > 0 }];
}

/** Whether the type runs on the Nitro system, as all bare metal types do. */
export function isNitro({ hypervisor, bareMetal }: InstanceTypeFacts): boolean {
  return bareMetal || hypervisor === 'nitro';
}

/** A type in one zone of a region with its prices, independent of a cluster's subnets and of current capacity. */
export interface RegionalOffering {
  readonly type: string;
  readonly zone: string;
  /** @default unknown */
  readonly zoneId?: string | undefined;
  readonly onDemandUsdPerHour?: number | undefined;
  readonly spotUsdPerHour?: number | undefined;
}

/** The instance types and prices that the catalogue function stores for one region. */
export interface Catalogue {
  readonly region: string;
  /** When the figures were read, or the date of the bundled table. RFC 3339. */
  readonly asOf: string;
  /** When on-demand prices were last read from AWS. @default never: the prices are the bundled ones */
  readonly onDemandAsOf?: string;
  /** When spot prices were last read from AWS. @default never: the prices are the bundled or the on-demand ones (C29) */
  readonly spotAsOf?: string;
  /** Since when spot prices were not read, if they never were. @default they were read, or a catalogue of an earlier version */
  readonly spotUnreadSince?: string;
  readonly facts: readonly InstanceTypeFacts[];
  readonly offerings: readonly RegionalOffering[];
}
