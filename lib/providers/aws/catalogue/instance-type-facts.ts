import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { type InstanceTypeFacts, PLACEMENT_STRATEGIES } from '../../../core/instance-type/facts.ts';

/** Branch interfaces by type, which DescribeInstanceTypes does not return (see `data/README.md`). */
export type BranchInterfaces = ReadonlyMap<string, number>;

/** *Shape:* undefined for a type that nodes cannot use: with another architecture, or without a name. */
export function instanceTypeFactsOf(
  info: InstanceTypeInfo,
  branchInterfaces: BranchInterfaces,
): InstanceTypeFacts | undefined {
  const architecture = architectureOf(info);
  if (info.InstanceType === undefined || architecture === undefined) return undefined;
  const processor = info.ProcessorInfo;
  return {
    name: info.InstanceType,
    architecture,
    vcpus: info.VCpuInfo?.DefaultVCpus ?? 0,
    memoryMib: info.MemoryInfo?.SizeInMiB ?? 0,
    hypervisor: info.Hypervisor ?? '',
    bareMetal: info.BareMetal ?? false,
    usageClasses: (['on-demand', 'spot'] as const).filter((each) => (info.SupportedUsageClasses ?? []).includes(each)),
    cpuManufacturer: (['aws', 'intel', 'amd'] as const).find((each) => each === processor?.Manufacturer?.toLowerCase()),
    sustainedClockMhz: thousandfold(processor?.SustainedClockSpeedInGhz),
    nitroEnclaves: info.NitroEnclavesSupport === 'supported',
    branchInterfaces: branchInterfaces.get(info.InstanceType),
    ...placingOf(info),
    ...networkOf(info),
    ...storageOf(info),
    ...devicesOf(info),
  };
}

type Network = Pick<
  InstanceTypeFacts,
  | 'encryptionInTransit'
  | 'maxNetworkInterfaces'
  | 'ipv4PerInterface'
  | 'networkCards'
  | 'efaInterfaces'
  | 'baselineNetworkMbps'
>;

function networkOf(info: InstanceTypeInfo): Network {
  const network = info.NetworkInfo;
  const cards = network?.NetworkCards ?? [];
  const defaultCard = cards.find((card) => card.NetworkCardIndex === network?.DefaultNetworkCardIndex);
  const baseline = cards.reduce((sum, card) => sum + (thousandfold(card.BaselineBandwidthInGbps) ?? 0), 0);
  return {
    encryptionInTransit: network?.EncryptionInTransitSupported ?? false,
    // C13, C14: pods use only the default card.
    maxNetworkInterfaces: defaultCard?.MaximumNetworkInterfaces ?? network?.MaximumNetworkInterfaces ?? 0,
    ipv4PerInterface: network?.Ipv4AddressesPerInterface ?? 0,
    networkCards: networkCardsOf(info),
    efaInterfaces: network?.EfaInfo?.MaximumEfaInterfaces ?? 0,
    baselineNetworkMbps: baseline === 0 ? undefined : baseline,
  };
}

/** *Shape:* undefined for a single card, which the other facts describe. */
function networkCardsOf({ NetworkInfo: network }: InstanceTypeInfo): InstanceTypeFacts['networkCards'] {
  const cards = network?.NetworkCards ?? [];
  if (cards.length < 2) return undefined;
  return cards
    .toSorted((a, b) => (a.NetworkCardIndex ?? 0) - (b.NetworkCardIndex ?? 0))
    .map((card) => ({
      interfaces: card.MaximumNetworkInterfaces ?? 0,
      efa: card.InterfaceTypes?.includes('efa') ?? network?.EfaSupported ?? false,
    }));
}

type Placing = Pick<InstanceTypeFacts, 'nestedVirtualization' | 'placementStrategies'>;

/** C27. Omits values that are the same for nearly every type, as the bundled data does. */
function placingOf({ ProcessorInfo: processor, PlacementGroupInfo: placement }: InstanceTypeInfo): Placing {
  const features: readonly string[] = processor?.SupportedFeatures ?? [];
  const strategies = PLACEMENT_STRATEGIES.filter((each) => placement?.SupportedStrategies?.includes(each) ?? true);
  return {
    nestedVirtualization: features.includes('nested-virtualization') ? true : undefined,
    placementStrategies: strategies.length === PLACEMENT_STRATEGIES.length ? undefined : strategies,
  };
}

type Storage = Pick<InstanceTypeFacts, 'ebsMbps' | 'ebsAttachments' | 'instanceStoreGb' | 'localNvmeGb'>;

function storageOf(info: InstanceTypeInfo): Storage {
  const storage = info.InstanceStorageInfo;
  const ebs = info.EbsInfo;
  return {
    ebsMbps: ebs?.EbsOptimizedSupport === 'default' ? ebs.EbsOptimizedInfo?.MaximumBandwidthInMbps : undefined,
    // EC2 gives 39 or 40 for Xen types, of which the EBS CSI driver uses 39.
    ebsAttachments: info.Hypervisor === 'xen' ? 39 : ebs?.MaximumEbsAttachments,
    instanceStoreGb: storage?.TotalSizeInGB,
    localNvmeGb: storage?.NvmeSupport === 'unsupported' ? undefined : storage?.TotalSizeInGB,
  };
}

function devicesOf(info: InstanceTypeInfo): Pick<InstanceTypeFacts, 'gpus' | 'neuron' | 'accelerators'> {
  const neuron = info.NeuronInfo?.NeuronDevices ?? [];
  // EC2 also lists a Neuron device as an inference accelerator.
  const inference = neuron.length > 0 ? [] : (info.InferenceAcceleratorInfo?.Accelerators ?? []);
  return {
    gpus: (info.GpuInfo?.Gpus ?? []).map((gpu) => ({
      name: gpu.Name ?? '',
      manufacturer: gpu.Manufacturer ?? '',
      count: gpu.Count ?? 0,
      memoryMib: gpu.MemoryInfo?.SizeInMiB ?? 0,
    })),
    neuron: neuron.map((device) => ({
      name: device.Name ?? '',
      count: device.Count ?? 0,
      coresPerDevice: device.CoreInfo?.Count ?? 0,
    })),
    accelerators: inference.map((each) => ({
      name: each.Name ?? '',
      manufacturer: each.Manufacturer ?? '',
      count: each.Count ?? 0,
    })),
  };
}

function architectureOf(info: InstanceTypeInfo): 'amd64' | 'arm64' | undefined {
  const supported = info.ProcessorInfo?.SupportedArchitectures ?? [];
  if (supported.includes('x86_64')) return 'amd64';
  return supported.includes('arm64') ? 'arm64' : undefined;
}

/** Converts GHz to MHz or Gbit/s to Mbit/s, rounded to a whole number. */
function thousandfold(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value * 1_000);
}
