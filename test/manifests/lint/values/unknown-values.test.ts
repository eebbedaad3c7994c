import { expect, test } from 'vitest';
import type { NodeSelectorRequirement } from '../../../../lib/apis/kubernetes.ts';
import { INSTANCE_TYPE, OS, ZONE } from '../../../../lib/apis/labels.ts';
import { nodePoolAdvice } from '../../../../lib/manifests/lint/node-pool.ts';
import { shippedFigures } from '../../../../lib/manifests/lint/values/shipped-figures.ts';
import { aNodePool, asking } from '../../../builders/node-pools.ts';
import { sentences } from '../sentences.ts';

const INSTANCE = 'karpenter.k8s.aws/instance-';
const figures = shippedFigures();

function advised(...list: readonly NodeSelectorRequirement[]): readonly string[] {
  const requirements = list.map(({ values = [], ...one }) => ({ ...one, values: [...values] }));
  return sentences(nodePoolAdvice(aNodePool({ requirements }), figures)).map((one) =>
    one.replace('spec.template.spec.requirements.', '').replace(', so the pool can never launch a node', ''),
  );
}

test.each<readonly [rule: string, asked: NodeSelectorRequirement, expected: string]>([
  [
    'a number where names belong gets names',
    asking(INSTANCE + 'family', 'In', '16'),
    '0.values: "16" is not a known instance family; write an existing value, such as x8i, c8i, c8ib, c8id',
  ],
  [
    'a number where few names belong gets them all',
    asking(OS, 'In', '2'),
    '0.values: "2" is not a known operating system; write one of linux, windows',
  ],
  [
    'memory in GiB is meant in MiB',
    asking(INSTANCE + 'memory', 'In', '16'),
    '0.values: "16" is not the memory of an instance type: karpenter.k8s.aws/instance-memory is a number in MiB without a unit; write 16384',
  ],
  [
    'memory with a unit is meant in MiB',
    asking(INSTANCE + 'memory', 'In', '16Gi', '8192'),
    '0.values.0: "16Gi" is not the memory of an instance type: karpenter.k8s.aws/instance-memory is a number in MiB without a unit; write 16384',
  ],
  [
    'a bound of memory that no type is below names the unit',
    asking(INSTANCE + 'memory', 'Lt', '16'),
    '0: none of 1,386 instance types meets karpenter.k8s.aws/instance-memory Lt [16]; write a condition that some type meets: the values range from 512 to 33554432, in MiB',
  ],
  [
    'a type where its family belongs',
    asking(INSTANCE + 'family', 'In', 'm5.large'),
    '0.values: "m5.large" is not a known instance family; write m5, or m5.large under node.kubernetes.io/instance-type',
  ],
  [
    'a family where a type belongs',
    asking(INSTANCE_TYPE, 'In', 'm5'),
    '0.values: "m5" is not a known instance type; write one of its types, such as m5.12xlarge, or m5 under karpenter.k8s.aws/instance-family',
  ],
  [
    'a type without its dot, and cut short',
    asking(INSTANCE_TYPE, 'In', 'm5larg', 'c5.large'),
    '0.values.0: "m5larg" is not a known instance type; write m5.large',
  ],
  [
    'each of several means something',
    asking(INSTANCE_TYPE, 'In', 'm5.lrage', 'c5.lrage'),
    '0.values: Kerf has no data on "m5.lrage", "c5.lrage"; write m5.large, c5.large',
  ],
  [
    'many unknown values are one warning',
    asking(INSTANCE_TYPE, 'In', 'm5.large', 'm5.lrage', 'c5.lrage', 'r5.lrage', 't3.lrage'),
    '0.values: 4 of 5 values are unknown: "m5.lrage", "c5.lrage", "r5.lrage" and 1 more; write m5.large, c5.large, r5.large',
  ],
  [
    'text that is not a zone',
    asking(ZONE, 'In', 'a', 'b'),
    '0.values: Kerf has no data on "a", "b"; write names of zones, such as us-east-1a',
  ],
  ['a zone in capitals', asking(ZONE, 'In', 'US-EAST-1A'), '0.values: "US-EAST-1A" is not a zone; write us-east-1a'],
])('%s', (_, asked, expected) => {
  expect(advised(asked)).toEqual([expected]);
});

const NEWER =
  'is not known to this version of Kerf, which has the instance types of 2026-10-27; write a name that `aws ec2 describe-instance-types` lists';

const NEWER_VALUE = NEWER.replace('a name', 'a value of a type');

test.each([
  ['a type of a newer generation', asking(INSTANCE_TYPE, 'In', 'm10g.large'), `0.values: "m10g.large" ${NEWER}`],
  ['another family of the newest one', asking(INSTANCE_TYPE, 'In', 'm9x.large'), `0.values: "m9x.large" ${NEWER}`],
  ['a new size', asking(INSTANCE_TYPE, 'In', 'm10g.192xlarge'), `0.values: "m10g.192xlarge" ${NEWER}`],
  ['beside a known one', asking(INSTANCE_TYPE, 'In', 'm5.large', 'm10g.large'), `0.values.1: "m10g.large" ${NEWER}`],
  ['a family', asking(INSTANCE + 'family', 'In', 'c10i-flex'), `0.values: "c10i-flex" ${NEWER}`],
  ['a generation', asking(INSTANCE + 'generation', 'In', '10'), `0.values: "10" ${NEWER_VALUE}`],
  [
    'a generation beside a known one',
    asking(INSTANCE + 'generation', 'In', '9', '11'),
    `0.values.1: "11" ${NEWER_VALUE}`,
  ],
  [
    'a bound of generations',
    asking(INSTANCE + 'generation', 'Gt', '9'),
    '0: none of 1,386 instance types of 2026-10-27, which this version of Kerf has, meets karpenter.k8s.aws/instance-generation Gt [9]; write a condition that some type meets: the values range from 1 to 9, or check that `aws ec2 describe-instance-types` lists a newer one',
  ],
  ['a category', asking(INSTANCE + 'category', 'In', 'q'), `0.values: "q" ${NEWER_VALUE}`],
  ['a later GPU', asking(INSTANCE + 'gpu-name', 'In', 'b400'), `0.values: "b400" ${NEWER_VALUE}`],
  [
    'a later accelerator',
    asking(INSTANCE + 'accelerator-name', 'In', 'trainium3'),
    `0.values: "trainium3" ${NEWER_VALUE}`,
  ],
  [
    'and several',
    asking(INSTANCE_TYPE, 'In', 'm10g.large', 'c10g.large'),
    '0.values: Kerf has no data on "m10g.large", "c10g.large"; write a name that `aws ec2 describe-instance-types` lists',
  ],
])('a name that EC2 may have by now gets no suggestion, and “never” is not said: %s', (_, asked, expected) => {
  const limited = nodePoolAdvice(aNodePool({ requirements: [asked], limits: { cpu: '1' } }), figures);
  expect(sentences(limited)).toEqual([`spec.template.spec.requirements.${expected}`]);
});

test.each([
  ['m5.lrage', 'm5.large'],
  ['m55.large', 'm5.large'],
  ['m5x.large', 'm5.large'],
])('a misspelt type has a consequence and a suggestion: %s', (written, meant) => {
  const requirements = [asking(INSTANCE_TYPE, 'In', written)];
  expect(sentences(nodePoolAdvice(aNodePool({ requirements }), figures))).toEqual([
    `spec.template.spec.requirements.0.values: "${written}" is not a known instance type, so the pool can never launch a node; write ${meant}`,
  ]);
});

test.each([
  ['generation', '30', { noun: 'instance generation', meant: '9' }],
  ['category', 'M', { noun: 'instance category', meant: 'm' }],
  ['gpu-name', 't44', { noun: 'GPU', meant: 't4' }],
])(
  'a misspelt value of another label of types has a consequence and a suggestion: %s %s',
  (label, written, { noun, meant }) => {
    const requirements = [asking(INSTANCE + label, 'In', written)];
    expect(sentences(nodePoolAdvice(aNodePool({ requirements }), figures))).toEqual([
      `spec.template.spec.requirements.0.values: "${written}" is not a known ${noun}, so the pool can never launch a node; write ${meant}`,
    ]);
  },
);

test('a bound that known generations meet leaves contradictions to be found, although newer ones meet it too', () => {
  const asked = [asking(INSTANCE + 'generation', 'Gt', '6'), asking(INSTANCE + 'family', 'In', 'm5')];
  expect(advised(...asked)).toEqual([
    expect.stringContaining('contradicts karpenter.k8s.aws/instance-generation Gt [6]'),
  ]);
});

test.each([
  [
    'zones of partitions that the figures leave out',
    asking(ZONE, 'In', 'eusc-de-east-1a', 'us-gov-west-1a', 'cn-north-1a'),
  ],
  ['memory that some type has', asking(INSTANCE + 'memory', 'In', '16384')],
  ['an unknown amount of memory beside a known one', asking(INSTANCE + 'memory', 'In', '16384', '999999')],
])('no advice on %s', (_, asked) => {
  expect(advised(asked)).toEqual([]);
});

test.each<readonly [rule: string, asked: readonly NodeSelectorRequirement[], expected: string]>([
  [
    'two lists without a value in common',
    [asking('team', 'In', 'a'), asking('team', 'In', 'b')],
    '1: team In [b] contradicts team In [a], so no node can meet both; write only one of them, or values that meet both',
  ],
  [
    'a list, and all of it excluded',
    [asking('team', 'NotIn', 'a'), asking('other', 'Exists'), asking('team', 'In', 'a')],
    '2: team In [a] contradicts team NotIn [a], so no node can meet both; write only one of them, or values that meet both',
  ],
  [
    'there and not there',
    [asking('team', 'Exists'), asking('team', 'DoesNotExist')],
    '1: team DoesNotExist contradicts team Exists, so no node can meet both; write only one of them, or values that meet both',
  ],
])('a label of your own: %s', (_, asked, expected) => {
  expect(advised(...asked)).toEqual([expected]);
});

test('custom labels that can be met together give no advice', () => {
  const asked = [asking('team', 'In', 'a', 'b'), asking('team', 'NotIn', 'a'), asking('x', 'DoesNotExist')];
  expect(advised(...asked, asking('x', 'NotIn', 'y'))).toEqual([]);
});

test.each([
  [
    '1,000 unknown types',
    asking(INSTANCE_TYPE, 'In', ...Array.from({ length: 1_000 }, (_, index) => `m${index}.lrage`)),
  ],
  ['100,000 unknown types', asking(INSTANCE_TYPE, 'In', ...Array.from({ length: 100_000 }, (_, index) => `${index}`))],
])('%s are one finding', (_, asked) => {
  expect(advised(asked)).toHaveLength(1);
});
