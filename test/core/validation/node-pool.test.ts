import { describe, expect, test } from 'vitest';
import type { FieldProblem } from '../../../lib/core/validation/field-problem.ts';
import { nodePoolProblems, whyInvalid } from '../../../lib/core/validation/node-pool.ts';
import { aNodePool, customRequirements, type NodePoolOptions } from '../../builders/node-pools.ts';

const TEMPLATE = ['spec', 'template'] as const;
const POD_SPEC = [...TEMPLATE, 'spec'] as const;
const NAME_RULE = 'at most 63 letters, digits, "-", "_" or "."';
const TAINT_NAME = `${NAME_RULE}; an optional prefix is a DNS name of at most 253 characters and "/"`;
const LABEL_NAME = `a name of ${NAME_RULE}, with a letter or digit at both ends; an optional prefix is a DNS name of at most 253 characters and "/"`;
const TOO_LONG = '9999999999h';
const AT_MOST = 'at most 2562047h, or Never';
const LONG = 'x'.repeat(64);

describe('A1.26: why Karpenter refuses a NodePool that the API server has accepted', () => {
  test.each<[string, NodePoolOptions, FieldProblem]>([
    [
      'a limit that no program can read',
      { limits: { cpu: '1', memory: '1e1.5' } },
      {
        path: ['spec', 'limits', 'memory'],
        message: '"1e1.5" is not a quantity',
        allowed: 'a quantity such as 500m, 2, 512Mi or 1e3',
      },
    ],
    [
      'an expireAfter without end',
      { expireAfter: TOO_LONG },
      { path: [...POD_SPEC, 'expireAfter'], message: `"${TOO_LONG}" is too long`, allowed: AT_MOST },
    ],
    [
      'a terminationGracePeriod without end',
      { terminationGracePeriod: TOO_LONG },
      { path: [...POD_SPEC, 'terminationGracePeriod'], message: `"${TOO_LONG}" is too long`, allowed: AT_MOST },
    ],
    [
      'a consolidateAfter without end',
      { disruption: { consolidateAfter: TOO_LONG } },
      { path: ['spec', 'disruption', 'consolidateAfter'], message: `"${TOO_LONG}" is too long`, allowed: AT_MOST },
    ],
    [
      'a budget without end',
      { disruption: { budgets: [{ nodes: '1' }, { nodes: '0', schedule: '@daily', duration: TOO_LONG }] } },
      {
        path: ['spec', 'disruption', 'budgets', 1, 'duration'],
        message: `"${TOO_LONG}" is too long`,
        allowed: AT_MOST,
      },
    ],
    [
      'a label whose key is not a name',
      { labels: { 'a b': 'c' } },
      { path: [...TEMPLATE, 'metadata', 'labels', 'a b'], message: '"a b" is not a label name', allowed: LABEL_NAME },
    ],
    [
      "a label of Karpenter's own domain",
      { labels: { 'karpenter.sh/mine': 'c' } },
      {
        path: [...TEMPLATE, 'metadata', 'labels', 'karpenter.sh/mine'],
        message: '"karpenter.sh/mine" is reserved for Karpenter',
        allowed: 'a label outside its domains',
      },
    ],
    [
      'a label whose value is none',
      { labels: { team: 'a b' } },
      {
        path: [...TEMPLATE, 'metadata', 'labels', 'team'],
        message: '"a b" is not a label value',
        allowed: `${NAME_RULE}, with a letter or digit at both ends; it may be empty`,
      },
    ],
    [
      'a requirement that asks for nothing that exists',
      { requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['ondemand'] }] },
      {
        path: [...POD_SPEC, 'requirements', 0, 'values'],
        message: 'none of "ondemand" is a value of karpenter.sh/capacity-type; did you mean on-demand?',
        allowed: 'on-demand',
      },
    ],
    [
      'A1.7: a taint twice in one list',
      {
        taints: [
          { key: 'gpu', value: 'a', effect: 'NoSchedule' },
          { key: 'gpu', value: 'b', effect: 'NoSchedule' },
        ],
      },
      {
        path: [...POD_SPEC, 'taints', 1],
        message: 'the taint gpu:NoSchedule is listed twice',
        allowed: 'each key and effect once',
      },
    ],
    [
      'A1.7: a taint that is a startup taint, too',
      { taints: [{ key: 'gpu', effect: 'NoExecute' }], startupTaints: [{ key: 'gpu', effect: 'NoExecute' }] },
      {
        path: [...POD_SPEC, 'startupTaints', 0],
        message: 'the taint gpu:NoExecute is listed twice',
        allowed: 'each key and effect once',
      },
    ],
    [
      'A1.7: a taint whose key is not a name',
      { taints: [{ key: LONG, effect: 'NoSchedule' }] },
      { path: [...POD_SPEC, 'taints', 0, 'key'], message: `"${LONG}" is not a valid name`, allowed: TAINT_NAME },
    ],
    [
      'A1.7: a taint whose value is not a name',
      { startupTaints: [{ key: 'gpu', value: LONG, effect: 'NoSchedule' }] },
      {
        path: [...POD_SPEC, 'startupTaints', 0, 'value'],
        message: `"${LONG}" is not a valid name`,
        allowed: TAINT_NAME,
      },
    ],
  ])('%s', (_rule, options, problem) => {
    expect(nodePoolProblems(aNodePool(options))).toEqual([problem]);
  });

  test('every problem of a pool is named, in the order of its fields', () => {
    const problems = nodePoolProblems(
      aNodePool({ limits: { cpu: 'x' }, labels: { 'a b': 'c d' }, taints: [{ key: '-', effect: 'NoSchedule' }] }),
    );
    expect(problems.map(({ path }) => path.slice(1).join('.'))).toEqual([
      'limits.cpu',
      'template.metadata.labels.a b',
      'template.metadata.labels.a b',
      'template.spec.taints.0.key',
    ]);
  });
});

describe('A1.26: a NodePool that Karpenter takes', () => {
  test.each<[string, NodePoolOptions]>([
    ['nothing but its template', {}],
    ['Never, wherever it may stand', { expireAfter: 'Never', disruption: { consolidateAfter: 'Never' } }],
    [
      'a schedule that only Karpenter cannot read (A1.17)',
      { disruption: { budgets: [{ nodes: '0', schedule: '0 25 * * *', duration: '8h' }] } },
    ],
    ['a limit below zero', { limits: { cpu: '-1' } }],
    [
      'one key with two effects',
      {
        taints: [
          { key: 'gpu', effect: 'NoSchedule' },
          { key: 'gpu', effect: 'NoExecute' },
        ],
      },
    ],
    ['a taint with a value of length nought', { taints: [{ key: 'gpu', value: '', effect: 'NoSchedule' }] }],
    ['labels of a well-known name', { labels: { 'karpenter.sh/capacity-type': 'spot', team: '' } }],
  ])('%s', (_what, options) => {
    expect(nodePoolProblems(aNodePool(options))).toEqual([]);
  });
});

describe('A1.5: a NodeClaim has at most 100 requirements', () => {
  const TOO_MANY = 'gives each NodeClaim 101 requirements with the labels, but the API server accepts 100';

  test.each<[string, NodePoolOptions]>([
    ['five are added: pool, class, type, zone and capacity type', { requirements: customRequirements(96) }],
    ['each label of the template is one', { requirements: customRequirements(95), labels: { team: 'web' } }],
    [
      'two bounds of one key are two',
      {
        requirements: [
          ...customRequirements(94),
          { key: 'example.com/size', operator: 'Gt', values: ['1'] },
          { key: 'example.com/size', operator: 'Lt', values: ['9'] },
        ],
      },
    ],
  ])('%s', (_rule, options) => {
    const problem = { path: [...POD_SPEC, 'requirements'], message: TOO_MANY, allowed: '1 fewer' };
    expect(nodePoolProblems(aNodePool(options))).toEqual([problem]);
    expect(whyInvalid(aNodePool(options))).toBe(`spec.template.spec.requirements ${TOO_MANY}: write 1 fewer`);
  });

  test.each<[string, NodePoolOptions]>([
    ['exactly 100', { requirements: customRequirements(95) }],
    ['a label that is also a requirement', { requirements: customRequirements(95), labels: { 'example.com/k1': 'x' } }],
    [
      'the keys that are added anyway',
      { requirements: [...customRequirements(95), { key: 'topology.kubernetes.io/zone', operator: 'Exists' }] },
    ],
    ['many with the same key', { requirements: [...customRequirements(95), ...customRequirements(5)] }],
  ])('%s is accepted', (_what, options) => {
    expect(nodePoolProblems(aNodePool(options))).toEqual([]);
  });
});

describe('why nothing is launched of a NodePool', () => {
  test('a name that Karpenter accepts may be too long for a label, with which no kubelet starts', () => {
    expect(nodePoolProblems(aNodePool({ name: LONG }))).toEqual([]);
    expect(whyInvalid(aNodePool({ name: LONG }))).toBe(
      `metadata.name "${LONG}" has 64 characters, but it becomes a label of every node: write at most 63 characters`,
    );
    expect(whyInvalid(aNodePool())).toBeUndefined();
  });
});
