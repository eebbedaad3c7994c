import { describe, expect, test } from 'vitest';
import { convertDocuments } from '../../../lib/manifests/convert/convert-documents.ts';
import { convertText, parse } from './convert-text.ts';

const POD = 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n';

describe('in the spec of a pod', () => {
  const PODS: readonly (readonly [before: string, after: string, path: string])[] = [
    [
      'nodeSelector: {karpenter.sh/provisioner-name: x}',
      'nodeSelector: {karpenter.sh/nodepool: x}',
      'nodeSelector["karpenter.sh/provisioner-name"]',
    ],
    [
      'nodeSelector: {beta.kubernetes.io/arch: arm64}',
      'nodeSelector: {kubernetes.io/arch: arm64}',
      'nodeSelector["beta.kubernetes.io/arch"]',
    ],
    [
      'nodeSelector: {node.k8s.aws/capacity-type: spot}',
      'nodeSelector: {karpenter.sh/capacity-type: spot}',
      'nodeSelector["node.k8s.aws/capacity-type"]',
    ],
    [
      'affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: karpenter.sh/provisioner-name, operator: DoesNotExist}]}]}}}',
      'affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: karpenter.sh/nodepool, operator: DoesNotExist}]}]}}}',
      'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key',
    ],
    [
      'affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: beta.kubernetes.io/instance-type, operator: Exists}]}}]}}',
      'affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: node.kubernetes.io/instance-type, operator: Exists}]}}]}}',
      'affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key',
    ],
    [
      'affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: failure-domain.beta.kubernetes.io/zone}]}}',
      'affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: topology.kubernetes.io/zone}]}}',
      'affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey',
    ],
    [
      'affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: karpenter.sh/provisioner-name}}]}}',
      'affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: karpenter.sh/nodepool}}]}}',
      'affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey',
    ],
    [
      'topologySpreadConstraints: [{maxSkew: 1, topologyKey: failure-domain.beta.kubernetes.io/region}]',
      'topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/region}]',
      'topologySpreadConstraints[0].topologyKey',
    ],
  ];

  test.each(PODS)('%s', (before, after, path) => {
    const { text, warnings } = convertText(`${POD}spec:\n  ${before} # why\n`);
    expect(text).toBe(`${POD}spec:\n  ${after} # why\n`);
    expect(warnings).toEqual([expect.stringContaining(`spec.${path}: "`)]);
  });

  test('a label with both names is kept once, or twice if the values differ', () => {
    const both = (value: string): string =>
      `${POD}spec:\n  nodeSelector: {karpenter.sh/nodepool: x, karpenter.sh/provisioner-name: ${value}}\n`;
    expect(convertText(both('x')).text).toBe(`${POD}spec:\n  nodeSelector: {karpenter.sh/nodepool: x}\n`);
    expect(convertText(both('y')).text).toBe(both('y'));
    expect(convertText(both('y')).warnings).toEqual([expect.stringContaining('was kept')]);
  });

  test('labels without a successor stay, with a warning', () => {
    const text = `${POD}spec:\n  nodeSelector: {karpenter.k8s.aws/instance-pods: "110"}\n`;
    expect(convertText(text)).toMatchObject({ text, warnings: [expect.stringContaining('has no equivalent')] });
  });

  test('tolerations and pod labels are not converted as node labels', () => {
    const { conversions } = convertText(`apiVersion: v1
kind: Pod
metadata: {labels: {beta.kubernetes.io/arch: x}}
spec: {tolerations: [{key: karpenter.sh/provisioner-name, operator: Exists}]}
`);
    expect(conversions[0]).toMatchObject({ converted: false, warnings: [] });
  });
});

describe('tolerations of the taint of nodes that are drained', () => {
  const TOLERATIONS: readonly (readonly [before: string, after: string])[] = [
    ['{key: karpenter.sh/disruption, operator: Exists}', '{key: karpenter.sh/disrupted, operator: Exists}'],
    [
      '{key: karpenter.sh/disruption, operator: Equal, value: disrupting, effect: NoSchedule}',
      '{key: karpenter.sh/disrupted, operator: Exists, effect: NoSchedule}',
    ],
    ['{key: karpenter.sh/disruption, value: disrupting}', '{key: karpenter.sh/disrupted, operator: Exists}'],
  ];

  test.each(TOLERATIONS)('%s', (before, after) => {
    const { text, warnings } = convertText(`${POD}spec:\n  tolerations: [${before}] # why\n`);
    expect(text).toBe(`${POD}spec:\n  tolerations: [${after}] # why\n`);
    expect(warnings).toEqual([
      expect.stringContaining('spec.tolerations[0].key: "karpenter.sh/disruption" became "karpenter.sh/disrupted"'),
    ]);
  });

  test('are unchanged if they tolerated nothing', () => {
    const text = `${POD}spec:\n  tolerations: [{key: karpenter.sh/disruption, value: other}]\n`;
    expect(convertText(text)).toMatchObject({ text, warnings: [] });
  });
});

const holder = (head: string, indent: number, name: string): string => {
  const pad = '  '.repeat(indent);
  return `${head}\n${pad}metadata:\n${pad}  annotations:\n${pad}    karpenter.sh/${name}: "true" # keep\n`;
};

describe('annotations', () => {
  const HOLDERS: readonly (readonly [kind: string, head: string, indent: number])[] = [
    ['Pod', 'apiVersion: v1\nkind: Pod', 0],
    ['Node', 'apiVersion: v1\nkind: Node', 0],
    ['PodTemplate', 'apiVersion: v1\nkind: PodTemplate\ntemplate:', 1],
    ['Deployment', 'apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:', 2],
    ['StatefulSet', 'apiVersion: apps/v1\nkind: StatefulSet\nspec:\n  template:', 2],
    ['DaemonSet', 'apiVersion: apps/v1\nkind: DaemonSet\nspec:\n  template:', 2],
    ['ReplicaSet', 'apiVersion: apps/v1\nkind: ReplicaSet\nspec:\n  template:', 2],
    ['Job', 'apiVersion: batch/v1\nkind: Job\nspec:\n  template:', 2],
    ['CronJob', 'apiVersion: batch/v1\nkind: CronJob\nspec:\n  jobTemplate:\n    spec:\n      template:', 4],
  ];
  test.each(HOLDERS)('of a %s', (_, head, indent) => {
    const { text, warnings } = convertText(holder(head, indent, 'do-not-evict'));
    expect(text).toBe(holder(head, indent, 'do-not-disrupt'));
    expect(warnings).toEqual([
      expect.stringContaining('"karpenter.sh/do-not-evict" became "karpenter.sh/do-not-disrupt"'),
    ]);
  });

  test('do-not-consolidate becomes do-not-disrupt, with a warning', () => {
    const { text, warnings } = convertText(holder('apiVersion: v1\nkind: Node', 0, 'do-not-consolidate'));
    expect(text).toBe(holder('apiVersion: v1\nkind: Node', 0, 'do-not-disrupt'));
    expect(warnings).toEqual([expect.stringContaining('which also prevents drift')]);
  });
});

test('a workload without legacy names is returned unchanged', () => {
  const text = 'apiVersion: apps/v1\nkind: Deployment\nspec:   {template:   {spec: {nodeSelector: {a:   b}}}}\n';
  const documents = parse(text);
  const [conversion] = convertDocuments(documents);
  expect(conversion).toMatchObject({ converted: false, warnings: [] });
  expect(conversion?.documents[0]).toBe(documents[0]);
});

test('labels in the requirements and labels of pools are renamed too', () => {
  const { objects, warnings } = convertText(`apiVersion: karpenter.sh/v1beta1
kind: NodePool
spec:
  template:
    metadata:
      labels: {beta.kubernetes.io/os: linux}
      annotations: {karpenter.sh/do-not-consolidate: "true"}
    spec:
      requirements: [{key: beta.kubernetes.io/arch, operator: Exists}]
`);
  expect(objects[0]).toHaveProperty('spec.template', {
    metadata: { labels: { 'kubernetes.io/os': 'linux' }, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
    spec: { requirements: [{ key: 'kubernetes.io/arch', operator: 'Exists' }] },
  });
  expect(warnings).toHaveLength(3);
});

test.each([
  ['karpenter.sh/v1alpha5', 'Machine'],
  ['karpenter.k8s.aws/v1alpha1', 'AWSNodeInstanceProfile'],
])('%s %s is unchanged, with a warning', (apiVersion, kind) => {
  const { conversions } = convertText(`apiVersion: ${apiVersion}\nkind: ${kind}\n`);
  expect(conversions).toMatchObject([
    { converted: false, warnings: [{ message: expect.stringContaining('no equivalent') }] },
  ]);
});
