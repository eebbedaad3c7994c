import type { AmiFamily } from '../../apis/ami-family.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { ARCH, INSTANCE_TYPE, NITRO_SANDBOX, OS, WINDOWS_BUILD } from '../../apis/labels.ts';
import type { LabelValues } from '../model/instance-type.ts';
import { isWindows } from './capacity.ts';
import type { InstanceTypeFacts } from './facts.ts';

const PREFIX = 'karpenter.k8s.aws/';

/**
 * The labels that depend on the type and the operating system. Labels that depend on offerings are not included.
 * *Source:* C15–C23. Placement groups (C23) are not modelled, so no node has their labels.
 */
export function instanceLabels(facts: InstanceTypeFacts, family: AmiFamily): LabelValues {
  const own = { ...nameLabels(facts.name), ...hardwareLabels(facts), ...gpuLabels(facts), ...acceleratorLabels(facts) };
  return {
    [INSTANCE_TYPE]: [facts.name],
    [ARCH]: [facts.architecture],
    [OS]: operatingSystems(facts, family),
    [WINDOWS_BUILD]: optional(WINDOWS_BUILDS[family]),
    [NITRO_SANDBOX]: [String(facts.nitroEnclaves)],
    ...Object.fromEntries(Object.entries(own).map(([name, values]) => [PREFIX + name, values])),
    [`${PREFIX}capacity-reservation-id`]: [],
    [`${PREFIX}capacity-reservation-type`]: [],
    [`${PREFIX}capacity-reservation-interruptible`]: [],
    [`${PREFIX}placement-group-id`]: [],
    [`${PREFIX}placement-group-partition`]: [],
  };
}

const SHOWN: ReadonlySet<string> = new Set([ARCH, OS, WINDOWS_BUILD, NITRO_SANDBOX]);

/** The labels of an object that depend on its instance type. Those of its offering are not included. */
export function instanceLabelsIn(labels: Labels = {}): Labels {
  const shown = Object.entries(labels).filter(([key]) => SHOWN.has(key) || key.startsWith(`${PREFIX}instance-`));
  return Object.fromEntries(shown);
}

const WINDOWS_BUILDS: Readonly<Partial<Record<AmiFamily, string>>> = {
  Windows2019: '10.0.17763',
  Windows2022: '10.0.20348',
  Windows2025: '10.0.26100',
};

/** Windows runs on amd64 only. */
function operatingSystems(facts: InstanceTypeFacts, family: AmiFamily): readonly string[] {
  if (!isWindows(family)) return ['linux'];
  return facts.architecture === 'amd64' ? ['windows'] : [];
}

/** C16. The `6tb` in `u-6tb1` is not the generation. */
function nameLabels(name: string): LabelValues {
  const [family = '', size] = name.split('.');
  const [, category, generation] = /^([a-z]+)(?:-\d+tb)?(\d+)/.exec(family) ?? [];
  return {
    'instance-category': optional(category),
    'instance-generation': optional(generation),
    'instance-family': [family],
    'instance-size': optional(size),
    'instance-capability-flex': [String(family.includes('-flex'))],
  };
}

/** C17–C19. Bare metal has no hypervisor; as in Karpenter, its label has an empty value. */
function hardwareLabels(facts: InstanceTypeFacts): LabelValues {
  return {
    'instance-cpu': [String(facts.vcpus)],
    'instance-cpu-manufacturer': optional(facts.cpuManufacturer),
    'instance-cpu-sustained-clock-speed-mhz': optional(facts.sustainedClockMhz),
    'instance-memory': [String(facts.memoryMib)],
    'instance-ebs-bandwidth': optional(facts.ebsMbps),
    'instance-network-bandwidth': optional(facts.baselineNetworkMbps),
    'instance-local-nvme': optional(facts.localNvmeGb),
    'instance-hypervisor': [facts.hypervisor],
    'instance-encryption-in-transit-supported': [String(facts.encryptionInTransit)],
    'instance-tenancy': ['default', 'dedicated'],
  };
}

/** C20: a type with several kinds of GPUs has none of these labels. */
function gpuLabels({ gpus }: InstanceTypeFacts): LabelValues {
  const [gpu] = gpus.length === 1 ? gpus : [];
  return {
    'instance-gpu-name': optional(gpu && kebab(gpu.name)),
    'instance-gpu-manufacturer': optional(gpu && kebab(gpu.manufacturer)),
    'instance-gpu-count': optional(gpu?.count),
    'instance-gpu-memory': optional(gpu?.memoryMib),
  };
}

/** C21. */
function acceleratorLabels({ neuron, accelerators }: InstanceTypeFacts): LabelValues {
  const all = [...neuron.map((device) => ({ ...device, manufacturer: 'aws' })), ...accelerators];
  const [accelerator] = all.length === 1 ? all : [];
  return {
    'instance-accelerator-name': optional(accelerator && kebab(accelerator.name)),
    'instance-accelerator-manufacturer': optional(accelerator && kebab(accelerator.manufacturer)),
    'instance-accelerator-count': optional(accelerator?.count),
  };
}

function kebab(text: string): string {
  return text.toLowerCase().replaceAll(' ', '-');
}

function optional(value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [String(value)];
}
