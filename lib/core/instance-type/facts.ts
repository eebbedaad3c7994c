/** What EC2 says of an instance type, whatever the NodeClass: DescribeInstanceTypes cut to what we compute from. */
export interface InstanceTypeFacts {
  readonly name: string;
  readonly architecture: 'amd64' | 'arm64';
  readonly vcpus: number;
  readonly memoryMib: number;
  readonly hypervisor: string;
  readonly bareMetal: boolean;
  readonly usageClasses: readonly ('on-demand' | 'spot')[];
  readonly cpuManufacturer?: 'aws' | 'intel' | 'amd';
  readonly sustainedClockMhz?: number;
  readonly encryptionInTransit: boolean;
  readonly nitroEnclaves: boolean;
  /** Of the default network card. */
  readonly maxNetworkInterfaces: number;
  readonly ipv4PerInterface: number;
  readonly efaInterfaces: number;
  /** Branch interfaces for security groups per pod; absent where the type has no trunking. */
  readonly branchInterfaces?: number;
  readonly baselineNetworkMbps?: number;
  /** Maximum EBS bandwidth, only where the type is EBS-optimized by default. */
  readonly ebsMbps?: number;
  readonly localNvmeGb?: number;
  readonly gpus: readonly { readonly name: string; readonly manufacturer: string; readonly count: number; readonly memoryMib: number }[];
  readonly neuron: readonly { readonly name: string; readonly count: number; readonly coresPerDevice: number }[];
  /** Other inference or media accelerators. */
  readonly accelerators: readonly { readonly name: string; readonly manufacturer: string; readonly count: number }[];
}

/** Where and at what price a type is for sale in one region, before any cluster's subnets or capacity are considered. */
export interface RegionalOffering {
  readonly type: string;
  readonly zone: string;
  readonly zoneId: string;
  readonly onDemandUsdPerHour?: number;
  readonly spotUsdPerHour?: number;
}

/** What the catalogue function keeps for one region. */
export interface Catalogue {
  readonly region: string;
  /** RFC 3339: when the figures were read, or the date of the shipped table. */
  readonly asOf: string;
  readonly facts: readonly InstanceTypeFacts[];
  readonly offerings: readonly RegionalOffering[];
}
