import type { AmiFamily } from '../../apis/ami-family.ts';
import { amiFamilyOf, type BlockDeviceMapping, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { unitValue } from '../../apis/quantity.ts';
import type { Resources } from '../resources/resources.ts';
import type { InstanceTypeFacts } from './facts.ts';

export const MIB = 1_048_576;
export const GIB = 1_073_741_824;

/**
 * What a node of the type has altogether.
 * *Source:* C2 cpu, C3 memory, C5 ephemeral storage, C6 pods, C8 devices.
 */
export function capacityOf(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): Resources {
  return {
    cpu: facts.vcpus * 1_000,
    memory: memoryMib(facts) * MIB,
    'ephemeral-storage': ephemeralStorageBytes(facts, nodeClass),
    pods: maxPodsOf(facts, nodeClass),
    ...devices(facts, amiFamilyOf(nodeClass)),
  };
}

export function isWindows(family: AmiFamily): boolean {
  return family.startsWith('Windows');
}

/**
 * How many pods the kubelet admits.
 * *Source:* C6; a CEL string (A3.17) counts as unset.
 */
export function maxPodsOf(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): number {
  const { maxPods, podsPerCore = 0 } = nodeClass.spec.kubelet ?? {};
  const family = amiFamilyOf(nodeClass);
  const byNetwork = isWindows(family) ? 110 : eniLimitedPods(facts);
  const most = typeof maxPods === 'number' ? maxPods : byNetwork;
  return podsPerCore > 0 && family !== 'Bottlerocket' ? Math.min(most, podsPerCore * facts.vcpus) : most;
}

/** Pods that get an address from the VPC without prefix delegation, and the two that use the host's (C7). */
export function eniLimitedPods(facts: InstanceTypeFacts): number {
  if (facts.maxNetworkInterfaces === 0) return 0;
  return facts.maxNetworkInterfaces * (facts.ipv4PerInterface - 1) + 2;
}

/** C3: hypervisor and kernel keep 7.5 %; EC2 counts 64 Mi on Graviton that the system never sees. */
function memoryMib(facts: InstanceTypeFacts): number {
  const stated = facts.architecture === 'arm64' ? facts.memoryMib - 64 : facts.memoryMib;
  return stated - Math.ceil((stated * 75) / 1_000);
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
function devices(facts: InstanceTypeFacts, family: AmiFamily): Resources {
  const amounts: [string, number][] = [];
  for (const { manufacturer, count } of facts.gpus) amounts.push([GPU_RESOURCES[manufacturer] ?? '', count]);
  for (const { count, coresPerDevice } of facts.neuron) {
    amounts.push(['aws.amazon.com/neuron', count], ['aws.amazon.com/neuroncore', count * coresPerDevice]);
  }
  amounts.push(['vpc.amazonaws.com/efa', facts.efaInterfaces]);
  amounts.push(['vpc.amazonaws.com/pod-eni', facts.branchInterfaces ?? 0]);
  if (isWindows(family)) amounts.push(['vpc.amazonaws.com/PrivateIPv4Address', facts.ipv4PerInterface - 1]);

  const sum: Record<string, number> = {};
  for (const [name, amount] of amounts) if (name !== '' && amount > 0) sum[name] = (sum[name] ?? 0) + amount;
  return sum;
}
