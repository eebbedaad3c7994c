import type { AmiFamily } from '../../apis/ami-family.ts';
import { amiFamilyOf, type BlockDeviceMapping, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { unitValue } from '../../apis/quantity.ts';
import type { Resources } from '../resources/resources.ts';
import { type InstanceTypeFacts, isNitro } from './facts.ts';

export const MIB = 1_048_576;
export const GIB = 1_073_741_824;

/** F20: what an operator sets for a whole cluster. */
export interface CapacitySettings {
  /** Network interfaces that the VPC CNI keeps from pods, as custom networking does. @default 0 */
  readonly reservedEnis?: number;
  /** The part of a type's memory that hypervisor and kernel keep. @default 0.075 */
  readonly memoryOverhead?: number;
}

export interface CapacityOptions extends CapacitySettings {
  /** C4: what a node of the type was seen to have. @default what follows from EC2's figure */
  readonly learnedMemoryBytes?: number | undefined;
}

/**
 * What a node of the type has altogether. The NodeClass's kubelet is the type's own: an expression counts as unset.
 * *Source:* C2 cpu, C3 and C4 memory, C5 ephemeral storage, C6 pods, C8 devices.
 */
export function capacityOf(
  facts: InstanceTypeFacts,
  nodeClass: EC2NodeClass,
  options: CapacityOptions = {},
): Resources {
  return {
    cpu: facts.vcpus * 1_000,
    memory: options.learnedMemoryBytes ?? memoryMib(facts, options.memoryOverhead) * MIB,
    'ephemeral-storage': ephemeralStorageBytes(facts, nodeClass),
    pods: maxPodsOf(facts, nodeClass, options),
    ...devices(facts, nodeClass),
  };
}

export function isWindows(family: AmiFamily): boolean {
  return family.startsWith('Windows');
}

/** How many pods the kubelet admits. *Source:* C6. */
export function maxPodsOf(facts: InstanceTypeFacts, nodeClass: EC2NodeClass, settings: CapacitySettings = {}): number {
  const { maxPods, podsPerCore = 0 } = nodeClass.spec.kubelet ?? {};
  const most = typeof maxPods === 'number' ? maxPods : podsByNetwork(facts, nodeClass, settings);
  const isPerCore = podsPerCore > 0 && amiFamilyOf(nodeClass) !== 'Bottlerocket';
  return isPerCore ? Math.min(most, podsPerCore * facts.vcpus) : most;
}

/** How many pods the network has room for. *Source:* C6, C7; with prefixes as AWS's max-pods calculator counts. */
export function podsByNetwork(
  facts: InstanceTypeFacts,
  nodeClass: EC2NodeClass,
  { reservedEnis = 0 }: CapacitySettings,
): number {
  if (isWindows(amiFamilyOf(nodeClass))) return 110;
  const interfaces = podInterfaces(facts, nodeClass, reservedEnis);
  if (interfaces === 0) return 0;
  const slots = interfaces * (facts.ipv4PerInterface - 1);
  if (!delegatesPrefixes(facts, nodeClass)) return slots + 2;
  return Math.min(slots * ADDRESSES_OF_PREFIX + 2, facts.vcpus > 30 ? 250 : 110);
}

/** Of an IPv4 prefix, /28. */
const ADDRESSES_OF_PREFIX = 16;

/**
 * Whether pods get their addresses from whole prefixes: Nitro can, and a node that starts with some is meant to. Karpenter
 * does not model it (C7). The kubelet has to be told, which nobody can do for it on a custom image (C73).
 */
export function delegatesPrefixes(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): boolean {
  const family = amiFamilyOf(nodeClass);
  return (nodeClass.spec.ipPrefixCount ?? 0) > 0 && family !== 'Custom' && !isWindows(family) && isNitro(facts);
}

/** Pods that get an address of their own from the VPC, and the two that use the host's (C7). */
export function eniLimitedPods(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): number {
  const interfaces = podInterfaces(facts, nodeClass, 0);
  return interfaces === 0 ? 0 : interfaces * (facts.ipv4PerInterface - 1) + 2;
}

/** C7: pods sit on the default card, on what neither EFA nor the operator keeps. */
function podInterfaces(facts: InstanceTypeFacts, nodeClass: EC2NodeClass, reservedEnis: number): number {
  const efaOnly = efaOnlyInterfaces(nodeClass).filter(({ networkCardIndex }) => networkCardIndex === 0).length;
  return Math.max(facts.maxNetworkInterfaces - reservedEnis - efaOnly, 0);
}

export function efaOnlyInterfaces({ spec }: EC2NodeClass): NonNullable<EC2NodeClass['spec']['networkInterfaces']> {
  return (spec.networkInterfaces ?? []).filter(({ interfaceType }) => interfaceType === 'efa-only');
}

/** C3; EC2 counts 64 Mi on Graviton that the system never sees. In whole numbers, as far as the overhead has six decimals. */
function memoryMib(facts: InstanceTypeFacts, overhead = 0.075): number {
  const stated = facts.architecture === 'arm64' ? facts.memoryMib - 64 : facts.memoryMib;
  return stated - Math.ceil((stated * Math.round(overhead * 1e6)) / 1e6);
}

/** C5. */
function ephemeralStorageBytes(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): number {
  const { instanceStorePolicy, blockDeviceMappings = [] } = nodeClass.spec;
  const family = amiFamilyOf(nodeClass);
  if (instanceStorePolicy === 'RAID0' && facts.instanceStoreGb !== undefined) return facts.instanceStoreGb * 1e9;
  const root = blockDeviceMappings.find((mapping) => mapping.rootVolume === true);
  const size = volumeSize(root) ?? volumeSize(podVolume(blockDeviceMappings, family));
  if (size !== undefined) return unitValue(size);
  return (isWindows(family) ? 50 : 20) * GIB;
}

function volumeSize(mapping: BlockDeviceMapping | undefined): string | undefined {
  return mapping?.ebs?.volumeSize;
}

/** The volume that holds images and containers where no mapping is marked as the root. */
function podVolume(mappings: readonly BlockDeviceMapping[], family: AmiFamily): BlockDeviceMapping | undefined {
  if (family === 'Custom') return mappings.at(-1);
  const device = isWindows(family) ? '/dev/sda1' : family === 'Bottlerocket' ? '/dev/xvdb' : '/dev/xvda';
  return mappings.find(({ deviceName }) => deviceName === device);
}

const GPU_RESOURCES: Readonly<Record<string, string>> = {
  NVIDIA: 'nvidia.com/gpu',
  AMD: 'amd.com/gpu',
  Habana: 'habana.ai/gaudi',
};

/** C8. Only what there is: a type without GPUs has no GPU resource. */
function devices(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): Resources {
  const declared = efaOnlyInterfaces(nodeClass).length;
  const amounts: [string, number][] = [];
  for (const { manufacturer, count } of facts.gpus) amounts.push([GPU_RESOURCES[manufacturer] ?? '', count]);
  for (const { count, coresPerDevice } of facts.neuron) {
    amounts.push(['aws.amazon.com/neuron', count], ['aws.amazon.com/neuroncore', count * coresPerDevice]);
  }
  amounts.push([
    'vpc.amazonaws.com/efa',
    nodeClass.spec.networkInterfaces === undefined ? facts.efaInterfaces : declared,
  ]);
  amounts.push(['vpc.amazonaws.com/pod-eni', facts.branchInterfaces ?? 0]);
  if (isWindows(amiFamilyOf(nodeClass)))
    amounts.push(['vpc.amazonaws.com/PrivateIPv4Address', facts.ipv4PerInterface - 1]);

  const sum: Record<string, number> = {};
  for (const [name, amount] of amounts) if (name !== '' && amount > 0) sum[name] = (sum[name] ?? 0) + amount;
  return sum;
}
