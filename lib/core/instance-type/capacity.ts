import type { AmiFamily } from '../../apis/ami-family.ts';
import { amiFamilyOf, type BlockDeviceMapping, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { unitValue } from '../../apis/formats/quantity.ts';
import type { Resources } from '../resources/resources.ts';
import { type InstanceTypeFacts, isNitro } from './facts.ts';

export const MIB = 1_048_576;
export const GIB = 1_073_741_824;

/** F20: settings of a whole cluster. */
export interface CapacitySettings {
  /** Network interfaces that pods cannot use, as with custom networking of the VPC CNI. @default 0 */
  readonly reservedEnis?: number;
  /** The share of an instance type's memory that the hypervisor and the kernel use. @default 0.075 */
  readonly memoryOverhead?: number;
}

export interface CapacityOptions extends CapacitySettings {
  /** C4: the memory that a node of the type reported. @default computed from the figure of EC2 */
  readonly learnedMemoryBytes?: number | undefined;
}

/**
 * The capacity of a node of the type. `nodeClass` has the kubelet settings of this type; an expression counts as unset.
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

/** The maximum number of pods of the kubelet. *Source:* C6. */
export function maxPodsOf(facts: InstanceTypeFacts, nodeClass: EC2NodeClass, settings: CapacitySettings = {}): number {
  const { maxPods, podsPerCore = 0 } = nodeClass.spec.kubelet ?? {};
  const limit = typeof maxPods === 'number' ? maxPods : podsByNetwork(facts, nodeClass, settings);
  const isPerCore = podsPerCore > 0 && amiFamilyOf(nodeClass) !== 'Bottlerocket';
  return isPerCore ? Math.min(limit, podsPerCore * facts.vcpus) : limit;
}

/** The maximum number of pods by network addresses. *Source:* C6, C7; with prefixes, the rules of AWS's max-pods calculator. */
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

/** An IPv4 prefix is a /28. */
const ADDRESSES_OF_PREFIX = 16;

/** Whether pods get their addresses from prefixes. This needs Nitro and an `ipPrefixCount`. Karpenter does not model it (C7). */
function delegatesPrefixes(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): boolean {
  return (nodeClass.spec.ipPrefixCount ?? 0) > 0 && takesMaxPods(nodeClass) && isNitro(facts);
}

/** Whether Kerf can set maxPods in the kubelet configuration, which it cannot do on a custom image (C73), and interfaces limit the pods. */
function takesMaxPods(nodeClass: EC2NodeClass): boolean {
  const family = amiFamilyOf(nodeClass);
  return family !== 'Custom' && !isWindows(family);
}

/**
 * Whether the kubelet must get maxPods though the class has none, because the image may use another number than the plan: it counts no
 * prefixes, and no interfaces that are reserved or for EFA only (C7); Bottlerocket has a table of the types that it knows; and user data
 * may have a number of its own. Karpenter always passes maxPods (C56). Here, images of Amazon Linux count themselves, because each number
 * needs a launch template of its own.
 */
export function needsMaxPods(nodeClass: EC2NodeClass, { reservedEnis = 0 }: CapacitySettings): boolean {
  const { ipPrefixCount = 0, userData, kubelet } = nodeClass.spec;
  return (
    kubelet?.maxPods === undefined &&
    takesMaxPods(nodeClass) &&
    (amiFamilyOf(nodeClass) === 'Bottlerocket' ||
      userData !== undefined ||
      ipPrefixCount > 0 ||
      reservedEnis > 0 ||
      efaOnlyOnDefaultCard(nodeClass) > 0)
  );
}

/** The number of pods with their own VPC address, and two pods that use the host network (C7). */
export function eniLimitedPods(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): number {
  const interfaces = podInterfaces(facts, nodeClass, 0);
  return interfaces === 0 ? 0 : interfaces * (facts.ipv4PerInterface - 1) + 2;
}

/** C7: pods use the interfaces of the default card, without EFA-only and reserved interfaces. */
function podInterfaces(facts: InstanceTypeFacts, nodeClass: EC2NodeClass, reservedEnis: number): number {
  return Math.max(facts.maxNetworkInterfaces - reservedEnis - efaOnlyOnDefaultCard(nodeClass), 0);
}

function efaOnlyOnDefaultCard(nodeClass: EC2NodeClass): number {
  return efaOnlyInterfaces(nodeClass).filter(({ networkCardIndex }) => networkCardIndex === 0).length;
}

export function efaOnlyInterfaces({ spec }: EC2NodeClass): NonNullable<EC2NodeClass['spec']['networkInterfaces']> {
  return (spec.networkInterfaces ?? []).filter(({ interfaceType }) => interfaceType === 'efa-only');
}

/** C3. On Graviton, EC2's figure includes 64 Mi that the operating system cannot use. Whole numbers avoid rounding errors for an overhead of up to six decimals. */
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

/** The volume of images and containers if no mapping is marked as the root volume. */
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

/** C8. Only devices that the type has: a type without GPUs has no GPU resource. */
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
