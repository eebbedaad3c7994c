import { describe, expect, test } from 'vitest';
import { WELL_KNOWN_LABELS } from '../../../lib/apis/labels.ts';
import { instanceLabels } from '../../../lib/core/instance-type/instance-labels.ts';
import { factsOf } from '../../builders/catalogue-facts.ts';

const AWS = 'karpenter.k8s.aws/instance-';

test.each([
  ['m5.large', 'm', '5', 'm5', 'large', 'false'],
  ['m7i-flex.2xlarge', 'm', '7', 'm7i-flex', '2xlarge', 'true'],
  ['u-6tb1.metal', 'u', '1', 'u-6tb1', 'metal', 'false'],
  ['u7i-12tb.224xlarge', 'u', '7', 'u7i-12tb', '224xlarge', 'false'],
  ['hpc7g.16xlarge', 'hpc', '7', 'hpc7g', '16xlarge', 'false'],
  ['c8gb.metal-24xl', 'c', '8', 'c8gb', 'metal-24xl', 'false'],
])('%s is of category %s, generation %s, family %s, size %s, flex %s (C16)', (name, ...parts) => {
  const labels = instanceLabels(factsOf({ name }), 'AL2023');
  const keys = ['category', 'generation', 'family', 'size', 'capability-flex'];
  expect(keys.map((key) => labels[AWS + key])).toEqual(parts.map((part) => [part]));
});

test('every label is well known, so that a pod may ask for it (A6.2)', () => {
  expect(Object.keys(instanceLabels(factsOf(), 'AL2023')).filter((label) => !WELL_KNOWN_LABELS.has(label))).toEqual([]);
});

test('what a type does not have is an absent label, not zero (C24)', () => {
  const labels = instanceLabels(factsOf({ cpuManufacturer: undefined, sustainedClockMhz: undefined }), 'AL2023');
  const absent = Object.keys(labels).filter((label) => labels[label]?.length === 0);
  expect(absent).toEqual([
    'node.kubernetes.io/windows-build',
    `${AWS}cpu-manufacturer`,
    `${AWS}cpu-sustained-clock-speed-mhz`,
    `${AWS}ebs-bandwidth`,
    `${AWS}network-bandwidth`,
    `${AWS}local-nvme`,
    ...['name', 'manufacturer', 'count', 'memory'].map((part) => `${AWS}gpu-${part}`),
    ...['name', 'manufacturer', 'count'].map((part) => `${AWS}accelerator-${part}`),
    ...['id', 'type', 'interruptible'].map((part) => `karpenter.k8s.aws/capacity-reservation-${part}`),
    ...['id', 'partition'].map((part) => `karpenter.k8s.aws/placement-group-${part}`),
  ]);
});

test('disks that are not NVMe are no local NVMe (C18)', () => {
  expect(instanceLabels(factsOf({ instanceStoreGb: 160 }), 'AL2023')[`${AWS}local-nvme`]).toEqual([]);
});

describe('the operating system', () => {
  test.each([
    ['Bottlerocket', 'arm64', [['linux'], []]],
    ['Windows2019', 'amd64', [['windows'], ['10.0.17763']]],
    ['Windows2022', 'amd64', [['windows'], ['10.0.20348']]],
    ['Windows2025', 'arm64', [[], ['10.0.26100']]],
  ] as const)('and the build of %s on %s are %j (C15)', (family, architecture, values) => {
    const labels = instanceLabels(factsOf({ architecture }), family);
    expect([labels['kubernetes.io/os'], labels['node.kubernetes.io/windows-build']]).toEqual(values);
  });
});

describe('GPU labels', () => {
  const gpu = { name: 'Radeon Pro V520', manufacturer: 'AMD', count: 2, memoryMib: 8192 };
  const values = (gpus: readonly (typeof gpu)[]) => {
    const labels = instanceLabels(factsOf({ gpus }), 'AL2023');
    return ['name', 'manufacturer', 'count', 'memory'].map((part) => labels[`${AWS}gpu-${part}`]);
  };
  test('are lower case with hyphens (C20)', () => {
    expect(values([gpu])).toEqual([['radeon-pro-v520'], ['amd'], ['2'], ['8192']]);
  });
  test('are absent where there are two kinds (C20)', () => {
    expect(values([gpu, { ...gpu, name: 'A100' }])).toEqual([[], [], [], []]);
  });
});

describe('accelerator labels', () => {
  const values = (facts: Parameters<typeof factsOf>[0]) => {
    const labels = instanceLabels(factsOf(facts), 'AL2023');
    return ['name', 'manufacturer', 'count'].map((part) => labels[`${AWS}accelerator-${part}`]);
  };
  test('name Neuron devices as of aws (C21)', () => {
    const neuron = [{ name: 'Inferentia2', count: 6, coresPerDevice: 2 }];
    expect(values({ neuron })).toEqual([['inferentia2'], ['aws'], ['6']]);
  });
  test('name the single kind of any other (C21)', () => {
    const accelerators = [{ name: 'Qualcomm AI100', manufacturer: 'Qualcomm', count: 8 }];
    expect(values({ accelerators })).toEqual([['qualcomm-ai100'], ['qualcomm'], ['8']]);
  });
});
