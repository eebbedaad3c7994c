import { describe, expect, test } from 'vitest';
import { isQualifiedName } from '../../../lib/apis/formats/label-syntax.ts';
import type { NodePoolRequirement } from '../../../lib/apis/node-pool.ts';
import type { FieldProblem } from '../../../lib/core/validation/field-problem.ts';
import { keyProblems, labelValueProblems, requirementProblems } from '../../../lib/core/validation/requirements.ts';

const NAME_RULE = 'at most 63 letters, digits, "-", "_" or ".", with a letter or digit at both ends';
const KEY_RULE = `a name of ${NAME_RULE}; an optional prefix is a DNS name of at most 253 characters and "/"`;
const VALUE_RULE = `${NAME_RULE}; it may be empty`;
const ONE_NUMBER = 'exactly one whole number of zero or more in quotes, such as ["4"]';
const CAPACITY_TYPES = 'on-demand, spot, reserved';
const LONG = 'x'.repeat(64);

function problemsOf(requirement: NodePoolRequirement): readonly FieldProblem[] {
  return requirementProblems([{ key: 'team', operator: 'Exists' }, requirement]);
}

describe('A1.26: a requirement that the API server lets pass and Karpenter refuses', () => {
  test.each<[string, NodePoolRequirement, FieldProblem]>([
    [
      'a key that is not a name',
      { key: `example.com/${LONG}`, operator: 'Exists' },
      { path: [1, 'key'], message: `"example.com/${LONG}" is not a label name`, allowed: KEY_RULE },
    ],
    [
      'an unknown operator',
      JSON.parse('{ "key": "team", "operator": "Resembles" }'),
      {
        path: [1, 'operator'],
        message: '"Resembles" is not an operator',
        allowed: 'In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte',
      },
    ],
    [
      'the label of the NodeClass',
      { key: 'karpenter.k8s.aws/ec2nodeclass', operator: 'In', values: ['default'] },
      {
        path: [1, 'key'],
        message: '"karpenter.k8s.aws/ec2nodeclass" is reserved for Karpenter',
        allowed: 'a label outside its domains',
      },
    ],
    [
      'a value that is not a label value',
      { key: 'team', operator: 'NotIn', values: ['web', 'a b'] },
      { path: [1, 'values', 1], message: '"a b" is not a label value', allowed: VALUE_RULE },
    ],
    [
      'a value that is still a placeholder',
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['<<AZ>>'] },
      {
        path: [1, 'values', 0],
        message: '"<<AZ>>" is not a label value: a placeholder that was not replaced',
        allowed: VALUE_RULE,
      },
    ],
    [
      'a number beyond 63 bits',
      { key: 'rank', operator: 'Gt', values: ['9223372036854775808'] },
      { path: [1, 'values'], message: 'Gt needs exactly one whole number of zero or more', allowed: ONE_NUMBER },
    ],
    [
      'no capacity type that exists',
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['preemptible', 'fargate'] },
      {
        path: [1, 'values'],
        message: 'none of "preemptible", "fargate" is a value of karpenter.sh/capacity-type',
        allowed: `at least one of ${CAPACITY_TYPES}`,
      },
    ],
    [
      'capacity types in other letters: the ones that were meant',
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['ondemand', 'SPOT'] },
      {
        path: [1, 'values'],
        message: 'none of "ondemand", "SPOT" is a value of karpenter.sh/capacity-type; did you mean on-demand, spot?',
        allowed: 'on-demand, spot',
      },
    ],
    [
      'no tenancy that exists',
      { key: 'karpenter.k8s.aws/instance-tenancy', operator: 'In', values: ['host'] },
      {
        path: [1, 'values'],
        message: 'none of "host" is a value of karpenter.k8s.aws/instance-tenancy',
        allowed: 'at least one of default, dedicated',
      },
    ],
    [
      'minValues that only unknown values could meet',
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'cheap'], minValues: 2 },
      {
        path: [1, 'values'],
        message: 'has 1 known value of karpenter.sh/capacity-type, but minValues requires 2',
        allowed: `a minValues of at most 1, or more of ${CAPACITY_TYPES}`,
      },
    ],
  ])('%s', (_rule, requirement, problem) => {
    expect(problemsOf(requirement)).toEqual([problem]);
  });
});

describe('A1.26: a requirement that Karpenter takes', () => {
  test.each<NodePoolRequirement>([
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'cheap'] },
    { key: 'karpenter.sh/capacity-type', operator: 'NotIn', values: ['cheap'] },
    { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: ['0'] },
    { key: 'rank', operator: 'Lte', values: ['9223372036854775807'] },
    { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['amd64'] },
    { key: 'team', operator: 'In', values: [''] },
    { key: 'node-restriction.kubernetes.io/team', operator: 'DoesNotExist' },
    { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['no-such-zone'], minValues: 1 },
  ])('%j', (requirement) => {
    expect(problemsOf(requirement)).toEqual([]);
  });
});

describe("A1.3: Karpenter's own domains are closed, but for what every node has", () => {
  test.each([
    ['karpenter.sh/capacity-type', true],
    ['karpenter.k8s.aws/instance-cpu', true],
    ['example.com/karpenter.sh', true],
    ['notkarpenter.sh/a', true],
    ['karpenter.sh/initialized', false],
    ['x.karpenter.sh/a', false],
    ['karpenter.k8s.aws/mine', false],
    ['kubernetes.io/hostname', false],
  ])('%s: %s', (key, free) => {
    expect(keyProblems(key, ['key']).map(({ message }) => message)).toEqual(
      free ? [] : [`"${key}" is reserved for Karpenter`],
    );
  });
});

test('a message stays short whatever it quotes', () => {
  const values = Array.from({ length: 1_000 }, (_, index) => `odd-${index}`);
  const problems = [
    ...problemsOf({ key: 'x'.repeat(100_000), operator: 'In', values: ['y'.repeat(100_000)] }),
    ...problemsOf({ key: 'karpenter.sh/capacity-type', operator: 'In', values }),
  ];
  expect(problems.map(({ message }) => message.length <= 160)).toEqual([true, true, true]);
  expect(problems[2]?.message).toMatch(/^none of "odd-0", .*"odd-4", … is a value of/);
});

test.each([
  ['a', true],
  ['A_b.c-9', true],
  ['x'.repeat(63), true],
  ['example.com/a', true],
  [`${'a'.repeat(253)}/a`, true],
  ['', false],
  [LONG, false],
  ['-a', false],
  ['a-', false],
  ['a b', false],
  ['/a', false],
  ['a/', false],
  ['a/b/c', false],
  ['Example.com/a', false],
  ['a..b/c', false],
  [`${'a'.repeat(254)}/a`, false],
])('A1.5: %j is a name of a label or taint: %s', (text, expected) => {
  expect(isQualifiedName(text)).toBe(expected);
});

test.each([
  ['', true],
  ['a.B_c-9', true],
  ['x'.repeat(63), true],
  [LONG, false],
  ['-a', false],
  ['a/b', false],
  ['a\n', false],
])('A1.5: %j is the value of a label: %s', (text, expected) => {
  expect(labelValueProblems(text, []).length === 0).toBe(expected);
});
