import { describe, expect, test } from 'vitest';
import { kubeletProblems } from '../../../lib/core/validation/kubelet.ts';
import { kubeletExpressionProblems } from '../../../lib/core/validation/kubelet-expressions.ts';
import { KUBELET_FIELDS } from '../../../lib/core/validation/kubelet-fields.ts';
import { unsupportedKubeletFields } from '../../../lib/core/validation/kubelet-support.ts';

type Kubelet = Readonly<Record<string, unknown>>;

function pathsOf(kubelet: Kubelet): readonly string[] {
  return kubeletProblems(kubelet).map(({ path }) => path.join('/'));
}

function soft(threshold: unknown, grace: unknown): Kubelet {
  return { evictionSoft: { 'memory.available': threshold }, evictionSoftGracePeriod: { 'memory.available': grace } };
}

describe('A3.16: the kubelet configuration in Karpenter’s documentation is valid', () => {
  test.each<Kubelet>([
    {},
    { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' },
    { clusterDNS: ['10.0.1.100'], maxPods: 20, podsPerCore: 2, cpuCFSQuota: true },
    { systemReserved: { cpu: '100m', memory: '100Mi' }, kubeReserved: { 'ephemeral-storage': '3Gi', pid: '100' } },
    { evictionHard: { 'memory.available': '5%', 'nodefs.inodesFree': '10%', 'pid.available': '1k' } },
    soft('500Mi', '1m30s'),
    { evictionMaxPodGracePeriod: 60, imageGCHighThresholdPercent: 85, imageGCLowThresholdPercent: 80 },
    { evictionMinimumReclaim: { 'imagefs.available': '2Gi' } },
    { memorySwap: { swapBehavior: 'LimitedSwap' }, featureGates: { NodeSwap: true } },
    { logging: { format: 'json', verbosity: 2, flushFrequency: 5_000_000_000, vmodule: [{ filePattern: 'a' }] } },
    { authentication: { webhook: { cacheTTL: '2m0s', enabled: true }, anonymous: { enabled: false } } },
    { reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }], tlsCurvePreferences: [29] },
    { shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: 10 }] },
  ])('%j', (kubelet) => {
    expect(kubeletProblems(kubelet)).toEqual([]);
  });
});

describe('A3.16: an unknown field is rejected at any depth', () => {
  test.each<[Kubelet, string]>([
    [{ maxPod: 110 }, 'maxPod'],
    [{ MaxPods: 110 }, 'MaxPods'],
    [{ constructor: {} }, 'constructor'],
    [{ authentication: { webhok: {} } }, 'authentication/webhok'],
    [{ reservedMemory: [{ numaNode: 0 }, { numa: 1 }] }, 'reservedMemory/1/numa'],
    [{ logging: { options: { json: { split: true } } } }, 'logging/options/json/split'],
  ])('%j', (kubelet, at) => {
    expect(pathsOf(kubelet)).toEqual([at]);
  });

  test('the problem has the names that may have been meant', () => {
    expect(kubeletProblems({ maxPod: 110 })[0]?.known).toEqual(Object.keys(KUBELET_FIELDS));
    expect(kubeletProblems({ memorySwap: { behavior: 'x' } })[0]).toEqual({
      path: ['memorySwap', 'behavior'],
      message: 'is not a field of KubeletConfiguration',
      allowed: 'one of swapBehavior',
      known: ['swapBehavior'],
    });
  });
});

describe('A3.16: every field must have the type that the kubelet defines', () => {
  test.each<[Kubelet, Kubelet]>([
    [{ staticPodPath: '/etc' }, { staticPodPath: 1 }],
    [{ cpuCFSQuota: false }, { cpuCFSQuota: 'false' }],
    [{ podsPerCore: 2_147_483_647 }, { podsPerCore: 2_147_483_648 }],
    [{ oomScoreAdj: -2_147_483_648 }, { oomScoreAdj: -2_147_483_649 }],
    [{ podsPerCore: 2 }, { podsPerCore: 1.5 }],
    [{ podPidsLimit: 4_294_967_296 }, { podPidsLimit: '1' }],
    [{ logging: { verbosity: 4_294_967_295 } }, { logging: { verbosity: -1 } }],
    [{ memoryThrottlingFactor: 0.9 }, { memoryThrottlingFactor: '0.9' }],
    [{ syncFrequency: '-1m' }, { syncFrequency: '1 minute' }],
    [{ cpuCFSQuotaPeriod: '1.5ms' }, { cpuCFSQuotaPeriod: 100 }],
    [{ logging: { flushFrequency: '5s' } }, { logging: { flushFrequency: 1.5 } }],
    [
      { logging: { options: { text: { infoBufferSize: 1 } } } },
      { logging: { options: { text: { infoBufferSize: 'a' } } } },
    ],
    [{ clusterDNS: ['10.0.0.1', null] }, { clusterDNS: '10.0.0.1' }],
    [{ clusterDNS: [] }, { clusterDNS: [10] }],
    [{ featureGates: { A: true } }, { featureGates: { A: 'true' } }],
    [{ qosReserved: { memory: '50%' } }, { qosReserved: ['memory'] }],
    [{ staticPodURLHeader: { a: ['b'] } }, { staticPodURLHeader: { a: 'b' } }],
    [{ authentication: { x509: null } }, { authentication: { webhook: { cacheTTL: null } } }],
    [{ crashLoopBackOff: { maxContainerRestartPeriod: null } }, { crashLoopBackOff: [] }],
  ])('%j, but not %j', (fine, refused) => {
    expect(kubeletProblems(fine)).toEqual([]);
    expect(pathsOf(refused)).toHaveLength(1);
  });

  test('the problem has the value and the allowed values', () => {
    expect(kubeletProblems({ podsPerCore: '2' })).toEqual([
      {
        path: ['podsPerCore'],
        message: 'cannot be "2"',
        allowed: 'a whole number without quotes, from -2147483648 to 2147483647',
      },
    ]);
  });

  test('null at the top counts as absent, since the API server drops it', () => {
    const nothing = Object.fromEntries(Object.keys(KUBELET_FIELDS).map((field) => [field, null]));
    expect(kubeletProblems(nothing)).toEqual([]);
  });
});

test.each([[[]], ['x'], [[{ key: 'a', effect: 'NoSchedule' }]]])(
  'A3.16: registerWithTaints is refused: %j',
  (registerWithTaints) => {
    expect(kubeletProblems({ registerWithTaints })).toEqual([
      {
        path: ['registerWithTaints'],
        message: 'is set by Karpenter',
        allowed: 'the taints in the NodePool, as spec.template.spec.taints',
      },
    ]);
  },
);

describe('A3.16: thresholds are quantities of zero or more, or percentages from 0 to 100', () => {
  const FINE = ['0', '100Mi', '1.5Gi', '1e3', '0%', '100%', '12.5%', '1e1%', '.5%'];
  const REFUSED = ['', 'x', '-1Mi', '101%', '-1%', '%', '5 %', 'inf%', '5%%'];
  const FIELDS = ['evictionHard', 'evictionMinimumReclaim'];

  test.each(FIELDS.flatMap((field) => FINE.map((value) => ({ field, value }))))(
    '$field may be $value',
    ({ field, value }) => {
      expect(kubeletProblems({ [field]: { 'memory.available': value } })).toEqual([]);
    },
  );
  test.each(FIELDS.flatMap((field) => REFUSED.map((value) => ({ field, value }))))(
    '$field may not be $value',
    ({ field, value }) => {
      expect(pathsOf({ [field]: { 'memory.available': value } })).toEqual([`${field}/memory.available`]);
    },
  );
  test.each(REFUSED)('evictionSoft may not be %s', (value) => {
    expect(pathsOf(soft(value, '1m'))).toEqual(['evictionSoft/memory.available']);
  });
});

test.each(['memory.free', 'containerfs.available', 'allocatableMemory.available', 'Memory.available', ''])(
  'A3.16: %j is not an eviction signal',
  (signal) => {
    const refused = { evictionHard: { [signal]: '5%' }, evictionMinimumReclaim: { [signal]: '5%' } };
    expect(pathsOf(refused)).toEqual([`evictionHard/${signal}`, `evictionMinimumReclaim/${signal}`]);
    expect(kubeletProblems(refused)[0]?.known).toContain('memory.available');
  },
);

describe('A3.16: soft thresholds and grace periods come in pairs', () => {
  test.each<[Kubelet, readonly string[]]>([
    [{ evictionSoft: { 'pid.available': '5%' } }, ['evictionSoftGracePeriod/pid.available']],
    [{ evictionSoftGracePeriod: { 'pid.available': '1m' } }, ['evictionSoft/pid.available']],
    [
      { evictionSoft: { 'pid.available': '5%' }, evictionSoftGracePeriod: { 'memory.available': '1m' } },
      ['evictionSoftGracePeriod/pid.available', 'evictionSoft/memory.available'],
    ],
    [{ evictionSoft: {}, evictionSoftGracePeriod: {} }, []],
  ])('%j', (kubelet, missing) => {
    expect(pathsOf(kubelet)).toEqual(missing);
  });

  test.each(['', '1', '-1s', '1 m', '1d', null])('a grace period may not be %j', (grace) => {
    expect(pathsOf(soft('5%', grace))).toEqual(['evictionSoftGracePeriod/memory.available']);
  });
  test.each(['0', '0s', '-0s', '90s', '1h2m3.5s'])('a grace period may be %s', (grace) => {
    expect(pathsOf(soft('5%', grace))).toEqual([]);
  });
});

describe('A3.16: reservations are of four resources, and not below zero', () => {
  test.each(['kubeReserved', 'systemReserved'])('%s', (field) => {
    expect(pathsOf({ [field]: { cpu: '1', memory: '0', 'ephemeral-storage': '1Gi', pid: '1k' } })).toEqual([]);
    expect(pathsOf({ [field]: { 'nvidia.com/gpu': '1' } })).toEqual([`${field}/nvidia.com/gpu`]);
    expect(pathsOf({ [field]: { cpu: '-1', memory: '-vcpus', pid: '-0' } })).toEqual([
      `${field}/cpu`,
      `${field}/memory`,
      `${field}/pid`,
    ]);
  });
});

function told(kubelet: Readonly<Record<string, unknown>>): readonly string[] {
  return kubeletExpressionProblems(kubelet).map(
    ({ reason, path, message }) => `${reason} ${path.join('/')}: ${message}`,
  );
}

describe('A3.17: text that is not an amount is an expression', () => {
  test.each<Readonly<Record<string, unknown>>>([
    { maxPods: 'min(max_pods, 110)' },
    { maxPods: '110' },
    { maxPods: 110 },
    { kubeReserved: { cpu: 'max(60, vcpus * 30)', memory: '100Mi', pid: '-1' } },
    { systemReserved: { memory: 'memory_mib / 20' } },
    { kubeReserved: null, systemReserved: ['cpu'] },
  ])('%j is fine', (kubelet) => {
    expect(told(kubelet)).toEqual([]);
    expect(pathsOf(kubelet).filter((path) => path.includes('maxPods'))).toEqual([]);
  });

  test('and what is none is refused as it is read (A3.29)', () => {
    expect(
      told({ maxPods: '', kubeReserved: { cpu: 'vcpus *', pid: null }, systemReserved: { memory: '1ki' } }),
    ).toEqual([
      'KubeletExpressionInvalid maxPods: "" is not a valid expression: Unexpected token: EOF',
      'KubeletExpressionInvalid kubeReserved/cpu: "vcpus *" is not a valid expression: Unexpected token: EOF',
      'KubeletExpressionInvalid kubeReserved/pid: "" is not a valid expression: Unexpected token: EOF',
      `KubeletExpressionInvalid systemReserved/memory: "1ki" is not a valid expression: Unexpected character: 'i'`,
    ]);
  });

  test('and so is what gives nothing for a type that every region has (A3.29)', () => {
    expect(told({ maxPods: '0 - 1', systemReserved: { memory: '1048576 / (vcpus - vcpus)' } })).toEqual([
      'KubeletExpressionEvaluationFailed maxPods: "0 - 1" fails for m5.large: it returns -1',
      'KubeletExpressionEvaluationFailed systemReserved/memory: ' +
        '"1048576 / (vcpus - vcpus)" fails for m5.large: division by zero',
    ]);
  });

  test('the problem has the allowed values', () => {
    expect(kubeletExpressionProblems({ maxPods: 'x' })[0]?.allowed).toBe(
      'a whole number of zero or more without quotes, or a CEL expression over vcpus, memory_mib, default_enis, ips_per_eni, ' +
        'max_pods, instance_type with such a value, for example min(max_pods, vcpus * 8)',
    );
  });
});

describe('A3.16: counts are whole numbers of zero or more', () => {
  test.each(['maxPods', 'podsPerCore', 'evictionMaxPodGracePeriod'])('%s', (field) => {
    expect(pathsOf({ [field]: 0 })).toEqual([]);
    expect(pathsOf({ [field]: -1 })).toEqual([field]);
  });
});

test.each<[number | undefined, number | undefined, readonly string[]]>([
  [85, 80, []],
  [100, 0, []],
  [0, undefined, []],
  [undefined, 100, []],
  [80, 80, ['imageGCHighThresholdPercent']],
  [79, 80, ['imageGCHighThresholdPercent']],
  [101, 80, ['imageGCHighThresholdPercent']],
  [80, -1, ['imageGCLowThresholdPercent']],
])('A3.16: images are removed from %j percent down to %j percent: problems %j', (high, low, problems) => {
  const given = { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  expect(pathsOf(set)).toEqual(problems);
});

describe('A3.18: what an AMI family cannot set is refused', () => {
  test.each([
    ['AL2023', []],
    ['Custom', []],
    ['AL2', ['seccompDefault', 'clusterDNS']],
    ['Windows2022', ['seccompDefault', 'clusterDNS']],
    ['Bottlerocket', ['podsPerCore', 'seccompDefault', 'clusterDNS']],
  ] as const)('%s', (family, refused) => {
    const kubelet = { maxPods: 20, podsPerCore: 2, seccompDefault: true, clusterDNS: ['10.0.0.1', '10.0.0.2'] };
    expect(unsupportedKubeletFields(kubelet, family).map(({ path }) => path.join('/'))).toEqual(refused);
  });

  test('one address of a DNS server is fine everywhere, and null is nothing', () => {
    expect(unsupportedKubeletFields({ clusterDNS: ['10.0.0.1'], podsPerCore: null }, 'Bottlerocket')).toEqual([]);
  });
});
