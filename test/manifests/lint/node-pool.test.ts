import { describe, expect, test } from 'vitest';
import type { NodeSelectorRequirement } from '../../../lib/apis/kubernetes.ts';
import { ARCH, CAPACITY_TYPE, OS, REGION, INSTANCE_TYPE as TYPE, ZONE } from '../../../lib/apis/labels.ts';
import type { DisruptionBudget } from '../../../lib/apis/node-pool.ts';
import type { FieldProblem } from '../../../lib/core/validation/field-problem.ts';
import { nodePoolAdvice } from '../../../lib/manifests/lint/node-pool.ts';
import { shippedFigures } from '../../../lib/manifests/lint/values/shipped-figures.ts';
import { aNodePool, asking, type NodePoolOptions } from '../../builders/node-pools.ts';
import { sentences } from './sentences.ts';

const INSTANCE = 'karpenter.k8s.aws/instance-';
const figures = shippedFigures();

function pool(options: NodePoolOptions): readonly FieldProblem[] {
  return nodePoolAdvice(aNodePool(options), figures);
}

function requirements(...list: readonly NodeSelectorRequirement[]): readonly FieldProblem[] {
  return pool({ requirements: list.map(({ values = [], ...one }) => ({ ...one, values: [...values] })) });
}

function budgets(...list: readonly DisruptionBudget[]): readonly FieldProblem[] {
  return pool({ disruption: { budgets: list } });
}

type Case = readonly [rule: string, advice: () => readonly FieldProblem[], expected: readonly string[]];

describe('requirements', () => {
  test.each<Case>([
    [
      'a typo among several types is named',
      () => requirements(asking(TYPE, 'In', 'm5.large', 'm5.lrage')),
      ['spec.template.spec.requirements.0.values.1: "m5.lrage" is not a known instance type; write m5.large'],
    ],
    [
      'a typo alone leaves nothing',
      () => requirements(asking(TYPE, 'In', 'm5.lrage')),
      [
        'spec.template.spec.requirements.0.values: "m5.lrage" is not a known instance type, so the pool can never launch a node; write m5.large',
      ],
    ],
    [
      'several unknown names are one warning',
      () => requirements(asking(INSTANCE + 'family', 'In', 'm55', 'zz9')),
      [
        'spec.template.spec.requirements.0.values: Kerf has no data on "m55", "zz9", so the pool can never launch a node; write m5',
      ],
    ],
    [
      'a family that is cut short is completed',
      () => requirements(asking(INSTANCE + 'family', 'In', 'g5', 'p4')),
      [
        'spec.template.spec.requirements.0.values.1: "p4" is not a known instance family; write an existing value, such as p4d, p4de',
      ],
    ],
    [
      'another name of an architecture is translated',
      () => requirements(asking(ARCH, 'In', 'x86_64', 'arm64')),
      ['spec.template.spec.requirements.0.values.0: "x86_64" is not a known architecture; write amd64'],
    ],
    [
      'values compare by case',
      () => requirements(asking(OS, 'In', 'Linux')),
      [
        'spec.template.spec.requirements.0.values: "Linux" is not a known operating system, so the pool can never launch a node; write linux',
      ],
    ],
    [
      'a number of CPUs that no type has is named',
      () => requirements(asking(INSTANCE + 'cpu', 'In', '4', '7')),
      [
        'spec.template.spec.requirements.0.values.1: "7" is not a known number of CPUs of an instance type; write 4 or 8',
      ],
    ],
    [
      'a GPU by the name of another tool is named',
      () => requirements(asking(INSTANCE + 'gpu-name', 'In', 'tesla-t4')),
      [
        'spec.template.spec.requirements.0.values: "tesla-t4" is not a known GPU, so the pool can never launch a node; write an existing value, such as t4, t4g',
      ],
    ],
    [
      'a bound that no type reaches is the one to name',
      () => requirements(asking(ARCH, 'In', 'amd64'), asking(INSTANCE + 'generation', 'Gt', '20')),
      [
        'spec.template.spec.requirements.1: none of 1,386 instance types meets karpenter.k8s.aws/instance-generation Gt [20], so the pool can never launch a node; write a condition that some type meets: the values range from 1 to 9',
      ],
    ],
    [
      'a label that every type has cannot be absent',
      () => requirements(asking(INSTANCE + 'cpu', 'DoesNotExist')),
      [
        'spec.template.spec.requirements.0: none of 1,386 instance types meets karpenter.k8s.aws/instance-cpu DoesNotExist, so the pool can never launch a node; write a condition that some type meets: the values range from 1 to 896',
      ],
    ],
    [
      'the second of two that exclude each other names the first',
      () => requirements(asking(ARCH, 'In', 'amd64'), asking(INSTANCE + 'family', 'In', 't4g')),
      [
        'spec.template.spec.requirements.1.values: karpenter.k8s.aws/instance-family In [t4g] contradicts kubernetes.io/arch In [amd64]: 968 of 1,386 instance types meet the requirements before it, and none of those meets this one, so the pool can never launch a node; write one of x8i, c8i, c8ib, c8id, c8in, m8i and 131 more as karpenter.k8s.aws/instance-family, or change the other requirement',
      ],
    ],
    [
      'Windows runs on amd64 only',
      () => requirements(asking(OS, 'In', 'windows'), asking(ARCH, 'In', 'arm64')),
      [
        'spec.template.spec.requirements.1.values: kubernetes.io/arch In [arm64] contradicts kubernetes.io/os In [windows]: 968 of 1,386 instance types meet the requirements before it, and none of those meets this one, so the pool can never launch a node; write amd64 as kubernetes.io/arch, or change the other requirement',
      ],
    ],
    [
      'two bounds of one label may cross',
      () => requirements(asking(INSTANCE + 'cpu', 'Gt', '64'), asking(INSTANCE + 'cpu', 'Lt', '4')),
      [
        'spec.template.spec.requirements.1: karpenter.k8s.aws/instance-cpu Lt [4] contradicts karpenter.k8s.aws/instance-cpu Gt [64]: 365 of 1,386 instance types meet the requirements before it, and none of those meets this one, so the pool can never launch a node; write a condition on karpenter.k8s.aws/instance-cpu that some number from 72 to 896 meets, or change the other requirement',
      ],
    ],
    [
      'where no two exclude each other all that came before is named',
      () =>
        requirements(
          asking(INSTANCE + 'family', 'In', 't3', 'm5'),
          asking(INSTANCE + 'category', 'In', 't', 'c'),
          asking(INSTANCE + 'cpu', 'In', '96'),
        ),
      [
        'spec.template.spec.requirements.2.values: karpenter.k8s.aws/instance-cpu In [96] contradicts karpenter.k8s.aws/instance-family In [t3, m5] and karpenter.k8s.aws/instance-category In [t, c]: 7 of 1,386 instance types meet the requirements before it, and none of those meets this one, so the pool can never launch a node; write one of 2, 4, 8 as karpenter.k8s.aws/instance-cpu, or change the other requirement',
      ],
    ],
    [
      'a template label counts like a requirement',
      () => pool({ labels: { [ARCH]: 'arm64', team: 'a' }, requirements: [asking(INSTANCE + 'family', 'In', 'm5')] }),
      [
        'spec.template.metadata.labels.kubernetes.io/arch: the label kubernetes.io/arch: arm64 contradicts karpenter.k8s.aws/instance-family In [m5]: 9 of 1,386 instance types meet the requirements before it, and none of those meets this one, so the pool can never launch a node; write amd64 as kubernetes.io/arch, or change the other requirement',
      ],
    ],
    [
      'minValues above what the types have is never met',
      () =>
        pool({
          requirements: [
            asking(INSTANCE + 'category', 'In', 't'),
            { key: INSTANCE + 'family', operator: 'Exists', minValues: 10 },
          ],
        }),
      [
        'spec.template.spec.requirements.1.minValues: requires 10 values of karpenter.k8s.aws/instance-family, but the instance types that meet the requirements have 6, so the pool can never launch a node; write at most 6, or wider requirements',
      ],
    ],
  ])('%s', (_, advice, expected) => {
    expect(sentences(advice())).toEqual(expected);
  });
});

describe('places', () => {
  test.each<Case>([
    [
      'an unknown zone letter of a region is reported',
      () => requirements(asking(ZONE, 'In', 'us-east-1a', 'us-east-1z')),
      [
        'spec.template.spec.requirements.0.values.1: "us-east-1z" is not a known zone of us-east-1; write one of us-east-1a, us-east-1b, us-east-1c, us-east-1d, us-east-1e, us-east-1f',
      ],
    ],
    [
      'a region instead of a zone is reported',
      () => requirements(asking(ZONE, 'In', 'us-east-1')),
      [
        'spec.template.spec.requirements.0.values: "us-east-1" is a region, not a zone, so the pool can never launch a node; write its zones, such as us-east-1a, us-east-1b, us-east-1c, us-east-1d, us-east-1e, us-east-1f',
      ],
    ],
    [
      'the id of a zone is not its name',
      () => requirements(asking(ZONE, 'In', 'use1-az1')),
      [
        'spec.template.spec.requirements.0.values: "use1-az1" is the id of a zone, not its name, so the pool can never launch a node; write the name of the zone, or use the label topology.k8s.aws/zone-id',
      ],
    ],
    [
      'a zone instead of a region is reported',
      () => requirements(asking(REGION, 'In', 'eu-west-3a')),
      [
        'spec.template.spec.requirements.0.values: "eu-west-3a" is a zone, not a region, so the pool can never launch a node; write eu-west-3',
      ],
    ],
    [
      'zones lie in the region that is asked for',
      () => requirements(asking(REGION, 'In', 'eu-west-3'), asking(ZONE, 'In', 'us-east-1a', 'us-west-2-lax-1a')),
      [
        'spec.template.spec.requirements.1.values: has only zones of us-east-1, us-west-2, but topology.kubernetes.io/region In [eu-west-3] requires another region, so the pool can never launch a node; write zones of eu-west-3, or change the region requirement',
      ],
    ],
    [
      'every node has a zone',
      () => requirements(asking(ZONE, 'DoesNotExist')),
      [
        'spec.template.spec.requirements.0: leaves no value of topology.kubernetes.io/zone, which every node has, so the pool can never launch a node; write the allowed values with the operator In',
      ],
    ],
    [
      'a capacity type that there is not is named',
      () => requirements(asking(CAPACITY_TYPE, 'In', 'spot', 'ondemand')),
      ['spec.template.spec.requirements.0.values.1: "ondemand" is not a capacity type; write on-demand'],
    ],
    [
      'a label may contradict a requirement',
      () => pool({ labels: { [CAPACITY_TYPE]: 'on-demand' }, requirements: [asking(CAPACITY_TYPE, 'In', 'spot')] }),
      [
        'spec.template.metadata.labels.karpenter.sh/capacity-type: contradicts karpenter.sh/capacity-type In [spot], so the pool can never launch a node; write only one of them, or values that meet both',
      ],
    ],
  ])('%s', (_, advice, expected) => {
    expect(sentences(advice())).toEqual(expected);
  });
});

describe('limits, life and class', () => {
  test.each<Case>([
    [
      'a limit of nothing closes the pool',
      () => pool({ limits: { cpu: '0' } }),
      [
        'spec.limits.cpu: is 0, so the pool can never launch a node; write the maximum cpu of the pool, or remove the limit',
      ],
    ],
    [
      'a limit of no nodes closes the pool',
      () => pool({ limits: { nodes: 0 } }),
      [
        'spec.limits.nodes: is 0, so the pool can never launch a node; write the maximum nodes of the pool, or remove the limit',
      ],
    ],
    [
      'a limit below zero closes the pool, whatever it limits',
      () => pool({ limits: { 'nvidia.com/gpu': '-1' } }),
      [
        'spec.limits.nvidia.com/gpu: is below zero (-1), so the pool can never launch a node; write the maximum nvidia.com/gpu of the pool, or remove the limit',
      ],
    ],
    [
      'a limit below the smallest type that would do closes the pool',
      () => pool({ limits: { cpu: '1', memory: '8Gi' }, requirements: [asking(INSTANCE + 'family', 'In', 'm5')] }),
      [
        'spec.limits.cpu: is 1, but the smallest instance type that meets the requirements has 2, so the pool can never launch a node; write at least 2',
      ],
    ],
    [
      'limits that no type meets at once close the pool',
      () => pool({ limits: { cpu: '2', memory: '10Gi' }, requirements: [asking(TYPE, 'In', 'r5.large', 'c5.xlarge')] }),
      [
        'spec.limits: exclude every instance type that meets the requirements: none is within both cpu and memory, so the pool can never launch a node; write limits that are large enough for the number of nodes that you need',
      ],
    ],
    [
      'an expireAfter below ten minutes is reported',
      () => pool({ expireAfter: '5m' }),
      [
        'spec.template.spec.expireAfter: replaces every node 5m after its creation, which is about the time that it needs to become ready; write hours or days, such as 720h, or Never',
      ],
    ],
    [
      'an expireAfter of zero is reported',
      () => pool({ expireAfter: '0s' }),
      [
        'spec.template.spec.expireAfter: replaces every node 0s after its creation, which is about the time that it needs to become ready; write hours or days, such as 720h, or Never',
      ],
    ],
  ])('%s', (_, advice, expected) => {
    expect(sentences(advice())).toEqual(expected);
  });

  test.each([
    [
      'eks.amazonaws.com',
      'NodeClass',
      'spec.template.spec.nodeClassRef: references NodeClass default of eks.amazonaws.com, which belongs to EKS Auto Mode: the pool is ignored, because Kerf manages only NodePools that reference EC2NodeClasses; write group: karpenter.k8s.aws and kind: EC2NodeClass if Kerf should manage it',
    ],
    [
      'karpenter.azure.com',
      'AKSNodeClass',
      'spec.template.spec.nodeClassRef: references AKSNodeClass default of karpenter.azure.com: the pool is ignored, because Kerf manages only NodePools that reference EC2NodeClasses; write group: karpenter.k8s.aws and kind: EC2NodeClass if Kerf should manage it',
    ],
  ])('A1.30: a NodePool of a %s %s is ignored, and its requirements are not checked', (group, kind, expected) => {
    const ours = aNodePool({ requirements: [asking(ARCH, 'In', 'x86_64')], limits: { cpu: '0' } });
    const { template } = ours.spec;
    const nodeClassRef = { group, kind, name: 'default' };
    const theirs = {
      ...ours,
      spec: { ...ours.spec, template: { ...template, spec: { ...template.spec, nodeClassRef } } },
    };
    expect(sentences(nodePoolAdvice(theirs, figures))).toEqual([expected]);
  });
});

describe('budgets', () => {
  test.each<Case>([
    [
      'none without a schedule blocks everything',
      () => budgets({ nodes: '0' }),
      [
        'spec.disruption.budgets.0.nodes: is 0 at all times, so the nodes of the pool are never consolidated or replaced because of drift; write a count or percentage above 0, such as "10%"; or a schedule and a duration that leave time without this budget',
      ],
    ],
    [
      'none for every reason blocks everything, whatever other budgets say',
      () => budgets({ nodes: '10%' }, { nodes: '0%', reasons: ['Empty', 'Drifted', 'Underutilized'] }),
      [
        'spec.disruption.budgets.1.nodes: is 0% at all times, so the nodes of the pool are never consolidated or replaced because of drift; write a count or percentage above 0, such as "10%"; or a schedule and a duration that leave time without this budget',
      ],
    ],
    [
      'windows without a pause block everything',
      () => budgets({ nodes: '0', schedule: '@daily', duration: '24h' }),
      [
        'spec.disruption.budgets.0.nodes: is 0 at all times, because "@daily" fires again before the duration of 24h ends, so the nodes of the pool are never consolidated or replaced because of drift; write a count or percentage above 0, such as "10%"; or a schedule and a duration that leave time without this budget',
      ],
    ],
    [
      'budgets may block every reason together',
      () => budgets({ nodes: '0', reasons: ['Empty', 'Drifted'] }, { nodes: '0%', reasons: ['Underutilized'] }),
      [
        'spec.disruption.budgets: together always block all reasons (budgets[0] Empty and Drifted, budgets[1] Underutilized), so the nodes of the pool are never consolidated or replaced because of drift; write for one of the reasons a count or percentage above 0, such as "10%"; or a schedule and a duration that leave time without this budget',
      ],
    ],
    [
      'E8: a schedule that cannot be read closes the pool',
      () => budgets({ nodes: '5', schedule: '0 9 * * 7', duration: '1h' }),
      [
        'spec.disruption.budgets.0.schedule: "0 9 * * 7" is not a valid schedule, so all disruption of the pool is blocked, regardless of nodes and reasons; write minute, hour, day of month, month and day of week, such as "0 9 * * mon-fri", or @daily',
      ],
    ],
  ])('%s', (_, advice, expected) => {
    expect(sentences(advice())).toEqual(expected);
  });
});

test('types of EC2 that the figures leave out have one warning, which says that a simulation launches none of them', () => {
  const asked = [asking(TYPE, 'In', 'p3.2xlarge', 'g3s.xlarge'), asking(INSTANCE + 'gpu-name', 'In', 'v100')];
  expect(sentences(requirements(...asked))).toEqual([
    'spec.template.spec.requirements.0.values: p3.2xlarge, g3s.xlarge: no figures are bundled, so `kerf simulate` launches no such node; Kerf on AWS reads the figures from EC2; write another value to simulate the pool',
  ]);
});

test.each<readonly [rule: string, options: NodePoolOptions]>([
  ['a pool that asks for nothing', {}],
  ['labels of your own', { labels: { team: 'a' }, requirements: [asking('team', 'In', 'b')] }],
  ['a region without figures', { requirements: [asking(ZONE, 'In', 'us-gov-west-1a', 'us-gov-west-1z')] }],
  ['local zones', { requirements: [asking(REGION, 'In', 'us-west-2'), asking(ZONE, 'In', 'us-west-2-lax-1a')] }],
  ['us-west-1c, which not every account sees', { requirements: [asking(ZONE, 'In', 'us-west-1c')] }],
  ['zone ids', { requirements: [asking('topology.k8s.aws/zone-id', 'In', 'use1-az9')] }],
  [
    'families that do not exist, where they are excluded',
    { requirements: [asking(INSTANCE + 'family', 'NotIn', 'mac7', 'zz1')] },
  ],
  [
    'Windows',
    { requirements: [asking(OS, 'In', 'windows'), asking('node.kubernetes.io/windows-build', 'In', '10.0.20348')] },
  ],
  ['reserved capacity', { requirements: [asking('karpenter.k8s.aws/capacity-reservation-id', 'In', 'cr-0123')] }],
  ['labels by their old names', { requirements: [asking('beta.kubernetes.io/arch', 'In', 'arm64')] }],
  ['minValues that the types have', { requirements: [{ key: INSTANCE + 'family', operator: 'Exists', minValues: 5 }] }],
  ['no GPU at all', { limits: { 'nvidia.com/gpu': 0 } }],
  ['limits with room for one node', { limits: { cpu: 2, nodes: 1 } }],
  ['an amount that validation refuses', { limits: { cpu: '1e1.5' } }],
  ['a life of ten minutes', { expireAfter: '10m' }],
  ['no expiry', { expireAfter: 'Never' }],
  ['a drain longer than the life: the one follows on the other', { expireAfter: '1h', terminationGracePeriod: '24h' }],
  [
    'consolidation switched off beside a policy',
    { disruption: { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' } },
  ],
  [
    'a budget that leaves one reason',
    { disruption: { budgets: [{ nodes: '0', reasons: ['Empty', 'Underutilized'] }] } },
  ],
  [
    'a budget that closes working hours',
    { disruption: { budgets: [{ nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h' }] } },
  ],
])('no advice on %s', (_, options) => {
  expect(sentences(pool(options))).toEqual([]);
});

test('hundreds of different NodePools are checked separately', () => {
  const fresh = shippedFigures();
  const pools = Array.from({ length: 500 }, (_, index) =>
    aNodePool({
      limits: { cpu: String(1_000 + index) },
      requirements: [asking(ARCH, 'In', 'amd64'), asking(INSTANCE + 'cpu', 'Lt', String(8 + index))],
    }),
  );
  expect(pools.flatMap((one) => nodePoolAdvice(one, fresh))).toEqual([]);
});
