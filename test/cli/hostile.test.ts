import { describe, expect, test } from 'vitest';
import { samples } from '../samples.ts';
import { runKerf } from './run-kerf.ts';

/** Hostile text, up to 10 MB: the command ends soon with an error message and without a stack trace. */

const HEAD = 'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\nspec:\n';
const OLD = 'apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: a}\nspec:\n';

function bomb(head: string): string {
  return head + Array.from({ length: 12 }, (_, at) => bombLine(at)).join('');
}

function bombLine(at: number): string {
  const item = at === 0 ? '1' : `*a${at - 1}`;
  return `  a${at}: &a${at} [${Array.from({ length: 10 }, () => item).join(', ')}]\n`;
}

const UNREADABLE: readonly (readonly [string, string, string])[] = [
  ['a billion laughs', bomb(HEAD), 'aliases'],
  ['a billion laughs in a v1beta1 object', bomb(OLD), 'aliases'],
  [
    'an alias inside its own anchor',
    '&a\napiVersion: karpenter.sh/v1\nkind: NodePool\nspec: *a\n',
    'is inside the value that it repeats',
  ],
  ['10 MB of one word', `${HEAD}  x: "${'a'.repeat(10_000_000)}"\n`, 'at most 4 MB'],
  ['10 MB of one word in JSON', JSON.stringify({ spec: { userData: 'a'.repeat(10_000_000) } }), 'at most 4 MB'],
  ['10 MB of escapes in JSON', JSON.stringify({ spec: { userData: '"'.repeat(5_000_000) } }), 'at most 4 MB'],
  ['10 MB of brackets', `${HEAD}  x: ${'['.repeat(10_000_000)}`, 'at most 4 MB'],
  ['3 MB of brackets', `${HEAD}  x: ${'['.repeat(3_000_000)}`, 'brackets deep'],
  [
    'a map a thousand levels deep',
    HEAD + Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(2 * at + 2)}a:\n`).join(''),
    'nests too deeply',
  ],
  ['binary data', 'a\0b', 'NUL'],
  ['a merge of a value that is not a map', `${HEAD}  <<: 5\n`, 'not valid YAML'],
];

const READ: readonly (readonly [string, string])[] = [
  [
    'prototype keys',
    `${HEAD}  __proto__: {a: 1}\n  constructor: 1\n  toString: {}\n  template: {__proto__: 3, spec: {hasOwnProperty: []}}\n`,
  ],
  [
    'prototype keys in a v1beta1 object',
    `${OLD}  __proto__: {a: 1}\n  constructor: 1\n  provider: {__proto__: {}, subnetSelector: {__proto__: x}}\n`,
  ],
  ['a kind that is a prototype key', 'apiVersion: karpenter.sh/v1\nkind: constructor\nmetadata: {name: __proto__}\n'],
  [
    'unusual Unicode',
    'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: "\\ud800\\u202e😀"}\nspec: {weight: "١"}\n',
  ],
  [
    'very long numbers',
    `${HEAD}  weight: 1e400\n  replicas: 99999999999999999999999\n  limits: {cpu: 1e1000000000, memory: "${'9'.repeat(100_000)}"}\n`,
  ],
  [
    'many items of the wrong type',
    `${HEAD}  template:\n    spec:\n      taints:\n${'      - 1\n'.repeat(samples(300_000))}`,
  ],
  [
    'many fields that do not exist',
    HEAD + Array.from({ length: samples(100_000) }, (_, at) => `  k${at}: 1\n`).join(''),
  ],
  [
    'text that makes regular expressions slow',
    `${HEAD}  disruption: {consolidateAfter: ${'1h'.repeat(100_000)}x, budgets: [{nodes: "1", schedule: "${' '.repeat(200_000)}x", duration: 1h}]}\n  template: {spec: {nodeClassRef: {group: a, kind: b, name: c}, requirements: [{key: "${'a'.repeat(200_000)}!", operator: Gt, values: ["${'1'.repeat(200_000)}"]}]}}\n`,
  ],
];

const TRACE = /\n\s+at .*:\d+|node:internal|\[object /;

describe.each(['validate', 'convert'])('kerf %s', (command) => {
  test.each(UNREADABLE)('%s cannot be read', async (_, text, words) => {
    const { stdout, stderr, code } = await runKerf([command, '-f', 'a.yaml'], { 'a.yaml': text });
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(words);
    expect((stdout + stderr).length).toBeLessThan(1_000);
    expect(stdout + stderr).not.toMatch(TRACE);
  });

  test.each(READ)('%s', async (_, text) => {
    const { stdout, stderr, code } = await runKerf([command, '-f', 'a.yaml'], { 'a.yaml': text });
    expect(code).toBe(command === 'validate' ? 1 : 0);
    expect(stderr.length).toBeLessThan(100_000);
    expect(stdout + stderr).not.toMatch(TRACE);
  });
});

const SHAPES = ['null', '5', '[]', '{}', 'text', 'true', '.nan', '[[]]', '{a: {b: c}}'];

test('wrong types in every field of every kind and version are findings, not crashes', async () => {
  const heads = [
    ['karpenter.sh/v1', ['NodePool', 'NodeClaim']],
    ['karpenter.sh/v1alpha1', ['NodeOverlay']],
    ['karpenter.k8s.aws/v1', ['EC2NodeClass']],
    ['autoscaling.x-k8s.io/v1beta1', ['CapacityBuffer']],
    ['karpenter.sh/v1alpha5', ['Provisioner']],
    ['karpenter.sh/v1beta1', ['NodePool', 'NodeClaim']],
    ['karpenter.k8s.aws/v1alpha1', ['AWSNodeTemplate']],
    ['karpenter.k8s.aws/v1beta1', ['EC2NodeClass']],
    ['apps/v1', ['Deployment', 'StatefulSet']],
    ['policy/v1', ['PodDisruptionBudget']],
    ['autoscaling/v2', ['HorizontalPodAutoscaler']],
  ] as const;
  const documents = heads.flatMap(([apiVersion, kinds]) =>
    kinds.flatMap((kind) =>
      SHAPES.flatMap((metadata) =>
        SHAPES.map((spec) => `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`),
      ),
    ),
  );
  const files = { 'a.yaml': documents.join('---\n') };
  for (const args of [
    ['validate', '-f', 'a.yaml'],
    ['convert', '-f', 'a.yaml'],
    ['simulate', 'a.yaml'],
  ]) {
    const { stdout, stderr, code } = await runKerf(args, files);
    expect([args[0], code]).toEqual([args[0], args[0] === 'validate' ? 1 : args[0] === 'convert' ? 0 : 2]);
    expect(stdout + stderr).not.toMatch(TRACE);
  }
});
