import fc from 'fast-check';
import type { RawInstanceType } from '../../parity/verifier/raw-documents.ts';

/** Random catalogues: few types, two or three zones, both capacity types, some offerings without capacity. */

export const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;
export const CAPACITY_TYPES = ['on-demand', 'spot'] as const;
export const FAMILIES = ['m5', 'c5', 'r5', 'g5', 'm6g'] as const;

interface Drawn {
  readonly family: (typeof FAMILIES)[number];
  readonly cpu: number;
  readonly podsAtMost: number;
  readonly offered: readonly { readonly zone: string; readonly capacityType: string; readonly available: boolean }[];
  readonly dearness: number;
  readonly kept: boolean;
}

const GIB_PER_CPU = { m5: 4, c5: 2, r5: 8, g5: 4, m6g: 4 } as const;
const PLACES = ZONES.flatMap((zone) => CAPACITY_TYPES.map((capacityType) => ({ zone, capacityType })));

const offered = fc
  .tuple(fc.subarray(PLACES, { minLength: 2 }), fc.nat({ max: 2 ** PLACES.length - 1 }))
  .map(([places, without]) => places.map((place, index) => ({ ...place, available: (without & (1 << index)) === 0 })));

const drawn: fc.Arbitrary<Drawn> = fc.record({
  family: fc.constantFrom(...FAMILIES),
  cpu: fc.constantFrom(2, 4, 8, 16),
  podsAtMost: fc.constantFrom(29, 4),
  offered: fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.constant(PLACES.map((place) => ({ ...place, available: true }))) },
    { weight: 1, arbitrary: offered },
  ),
  dearness: fc.integer({ min: 0, max: 4 }),
  kept: fc.boolean(),
});

/** One type of a name, simplest parameters first, so that shrinking leads to a plain m5.large. */
export const randomInstanceTypes: fc.Arbitrary<readonly RawInstanceType[]> = fc
  .uniqueArray(drawn, { minLength: 4, maxLength: 10, selector: nameOf })
  .map((types) => types.map(instanceType));

function nameOf({ family, cpu }: Drawn): string {
  return `${family}.${cpu}cpu`;
}

function instanceType(type: Drawn): RawInstanceType {
  const { family, cpu, podsAtMost, offered: places, dearness, kept } = type;
  const memoryGib = cpu * GIB_PER_CPU[family];
  const isGpu = family === 'g5';
  const zones = new Set(places.filter(({ available }) => available).map(({ zone }) => zone));
  const capacityTypes = new Set(places.filter(({ available }) => available).map(({ capacityType }) => capacityType));
  const onDemand = cpu * 0.04 + memoryGib * 0.005 + (isGpu ? 0.5 : 0) + dearness * 0.01;
  return {
    name: nameOf(type),
    capacity: {
      cpu: String(cpu),
      memory: `${memoryGib}Gi`,
      pods: String(podsAtMost),
      'ephemeral-storage': '20Gi',
      ...(isGpu ? { 'nvidia.com/gpu': '1' } : {}),
    },
    overhead: kept
      ? { kubeReserved: { cpu: '80m', memory: '500Mi' }, evictionThreshold: { memory: '1.048576e+08' } }
      : { kubeReserved: {} },
    requirements: {
      'node.kubernetes.io/instance-type': [nameOf(type)],
      'karpenter.k8s.aws/instance-family': [family],
      'karpenter.k8s.aws/instance-cpu': [String(cpu)],
      'karpenter.k8s.aws/instance-gpu-name': isGpu ? ['a10g'] : [],
      'kubernetes.io/arch': [family === 'm6g' ? 'arm64' : 'amd64'],
      'kubernetes.io/os': ['linux'],
      'topology.kubernetes.io/zone': [...zones],
      'karpenter.sh/capacity-type': [...capacityTypes],
    },
    offerings: places.map(({ zone, capacityType, available }) => ({
      zone,
      capacityType,
      available,
      price: Math.round(onDemand * (capacityType === 'spot' ? 0.4 : 1) * (zone === ZONES[1] ? 1.1 : 1) * 1e6) / 1e6,
    })),
  };
}
