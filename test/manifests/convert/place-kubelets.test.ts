import { describe, expect, test } from 'vitest';
import { fieldOf, isRecord, textField, type UnknownRecord } from '../../../lib/apis/record.ts';
import { convertText } from './convert-text.ts';

const pool = (name: string, kubelet: string): string => `apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: ${name}}
spec:
  template:
    spec:
      requirements: []
      nodeClassRef: {name: shared}
${kubelet === '' ? '' : `      # settings of ${name}\n      kubelet: ${kubelet}\n`}`;

const NODE_CLASS = `apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata: {name: shared}
spec:
  amiFamily: AL2
  role: nodes
  metadataOptions: {httpPutResponseHopLimit: 1}
`;

interface Result {
  /** The NodeClass of each pool. */
  readonly pools: Readonly<Record<string, unknown>>;
  /** The kubelet settings of each class. */
  readonly classes: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

function place(...texts: readonly string[]): Result {
  const { objects, warnings } = convertText(texts.join('---\n'));
  const of = (wanted: string, pick: (spec: UnknownRecord) => unknown): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      objects
        .filter((object) => textField(object, 'kind') === wanted)
        .map((object) => [nameIn(object), pick(specIn(object))]),
    );
  return {
    pools: of('NodePool', ({ template }) => nameOfClass(template)),
    classes: of('EC2NodeClass', ({ kubelet }) => kubelet),
    warnings,
  };
}

function nameIn(object: unknown): string {
  return textField(fieldIn(object, 'metadata'), 'name') ?? '';
}

function specIn(object: unknown): UnknownRecord {
  const spec = fieldIn(object, 'spec');
  return isRecord(spec) ? spec : {};
}

function nameOfClass(template: unknown): string | undefined {
  return textField(fieldIn(fieldIn(template, 'spec'), 'nodeClassRef'), 'name');
}

function fieldIn(value: unknown, name: string): unknown {
  return isRecord(value) ? fieldOf(value, name) : undefined;
}

const provisioner = (provider: string): string => `apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: a}
spec:
  kubeletConfiguration: {maxPods: 20}
  ${provider}
`;

describe('kubelet settings of pools', () => {
  test('move to the NodeClass of the pool, in any order', () => {
    for (const texts of [
      [pool('a', '{maxPods: 20}'), NODE_CLASS],
      [NODE_CLASS, pool('a', '{maxPods: 20}')],
    ])
      expect(place(...texts)).toEqual({ pools: { a: 'shared' }, classes: { shared: { maxPods: 20 } }, warnings: [] });
  });

  test('keep their comment', () => {
    expect(convertText(`${pool('a', '{maxPods: 20}')}---\n${NODE_CLASS}`).text).toContain(
      '  # settings of a\n  kubelet: {maxPods: 20}\n',
    );
  });

  test('that are equal share the class', () => {
    const { pools, classes, warnings } = place(
      pool('a', '{maxPods: 20, podsPerCore: 2}'),
      pool('b', '{podsPerCore: 2, maxPods: 20}'),
      NODE_CLASS,
    );
    expect({ pools, warnings }).toEqual({ pools: { a: 'shared', b: 'shared' }, warnings: [] });
    expect(classes).toEqual({ shared: { maxPods: 20, podsPerCore: 2 } });
  });

  test('that differ each get a copy of the class, except the first', () => {
    const { pools, classes, warnings } = place(
      pool('a', '{maxPods: 20}'),
      pool('b', '{maxPods: 30}'),
      pool('c', '{maxPods: 30}'),
      NODE_CLASS,
    );
    expect(pools).toEqual({ a: 'shared', b: 'shared-b', c: 'shared-b' });
    expect(classes).toEqual({ shared: { maxPods: 20 }, 'shared-b': { maxPods: 30 } });
    expect(warnings).toEqual([
      expect.stringMatching(/^spec\.template\.spec\.kubelet: differs from .*"shared-b"/),
      expect.stringMatching(/^spec\.template\.spec\.kubelet: differs from .*"shared-b"/),
    ]);
  });

  test('do not change the class of a pool without settings', () => {
    const { pools, classes } = place(pool('a', '{maxPods: 20}'), pool('b', ''), NODE_CLASS);
    expect(pools).toEqual({ a: 'shared-a', b: 'shared' });
    expect(classes).toEqual({ shared: undefined, 'shared-a': { maxPods: 20 } });
  });

  test('of a class of v1 are kept, and others get a copy', () => {
    const today = `${NODE_CLASS.replace('v1beta1', 'v1')}  kubelet: {maxPods: 9}\n`;
    const { pools, classes } = place(pool('a', '{maxPods: 20}'), pool('b', '{maxPods: 9}'), today);
    expect(pools).toEqual({ a: 'shared-a', b: 'shared' });
    expect(classes).toEqual({ shared: { maxPods: 9 }, 'shared-a': { maxPods: 20 } });
  });

  test('without their class are removed, and the warning shows what to write there', () => {
    const { conversions } = convertText(pool('a', '{maxPods: 20, clusterDNS: [10.0.0.1]}'));
    expect(conversions[0]?.warnings).toEqual([
      expect.objectContaining({
        path: ['spec', 'template', 'spec', 'kubelet'],
        fix: 'add to the spec of EC2NodeClass "shared": kubelet: {"clusterDNS": ["10.0.0.1"], "maxPods": 20}',
      }),
    ]);
  });

  test('of a Provisioner move to its AWSNodeTemplate, or to the class made of its inline provider', () => {
    const template = 'apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: shared}\n';
    expect(place(provisioner('providerRef: {name: shared}'), template).classes).toEqual({ shared: { maxPods: 20 } });
    expect(place(provisioner('provider: {subnetSelector: {a: b}}')).classes).toEqual({ a: { maxPods: 20 } });
  });
});

test('two objects that get the same name are reported', () => {
  const template = 'apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: shared}\n';
  const { warnings } = place(template, NODE_CLASS.replace('v1beta1', 'v1'));
  expect(warnings).toContainEqual(expect.stringMatching(/became EC2NodeClass\/shared, which exists twice/));
});
