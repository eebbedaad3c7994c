import { describe, expect, test } from 'vitest';
import type { ManifestSource } from '../../../lib/manifests/read/read-documents.ts';
import { readManifests } from '../../../lib/manifests/read/read-manifests.ts';
import { DEPLOYMENT, edit, join, NODE_CLASS, NODE_POOL } from '../check/texts.ts';

const KUSTOMIZATION = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [pool.yaml]\n';
const TEMPLATE = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Values.name }}\n';
const SKAFFOLD = 'apiVersion: skaffold/v4beta1\nkind: Config\nbuild: {}\n';

function inFolder(file: string, text: string): ManifestSource {
  return { file, text, inFolder: true };
}

function passedOver(...sources: readonly ManifestSource[]): readonly string[] {
  const read = readManifests(sources);
  expect(read.problems).toEqual([]);
  return read.passedOver.map(({ file, line, what }) => `${file}:${line} ${what}`);
}

function problems(...sources: readonly ManifestSource[]): readonly string[] {
  const read = readManifests(sources);
  expect(read.passedOver).toEqual([]);
  return read.problems.map(({ message }) => message);
}

describe('passed over by name, in a folder and alone', () => {
  test.each([
    ['a Kustomization', 'a.yaml', KUSTOMIZATION, 'is a Kustomization'],
    [
      'a Component',
      'a.yaml',
      'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: []\n',
      'is a Kustomization',
    ],
    ['a Kustomization without a kind', 'base/kustomization.yml', 'resources: [pool.yaml]\n', 'is a Kustomization'],
    ['a chart', 'c/Chart.yaml', 'apiVersion: v2\nname: x\nversion: 1.0.0\n', 'belongs to a Helm chart'],
    ['values', 'c/values-prod.yaml', 'image: {tag: "1"}\n', 'belongs to a Helm chart'],
    ['a JSON patch', 'a.yaml', '- op: add\n  path: /spec/replicas\n  value: 1\n', 'is a patch'],
    [
      'a patch that deletes',
      'a.yaml',
      '$patch: delete\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n',
      'is a patch',
    ],
  ])('%s', (...[, file, text, what]) => {
    expect(passedOver(inFolder(file, text))).toEqual([expect.stringContaining(`${file}:1 ${what}`)]);
    expect(passedOver({ file, text })).toEqual([expect.stringContaining(`${file}:1 ${what}`)]);
  });
});

describe('passed over in a folder, and an error where the user names the file', () => {
  test.each([
    ['a Helm template', TEMPLATE, 4, 'is a Helm template'],
    ['broken text without apiVersion', '{"a": "b", // comment\n}', 1, 'is not a Kubernetes object'],
    ['settings of another program', 'settings:\n  color: red\n', 1, 'is not a Kubernetes object'],
    ['a list of values', '- a\n- b\n', 1, 'is not a Kubernetes object'],
    ['an object of a program that is not in a cluster', SKAFFOLD, 1, 'is not a Kubernetes object'],
    ['an empty file', '# nothing\n', 1, 'has no object'],
  ])('%s', (...[, text, line, what]) => {
    const [only, ...more] = passedOver(inFolder('d/a.yaml', text));
    expect(only).toContain(`d/a.yaml:${line} ${what}`);
    expect(more).toEqual([]);
    expect(problems({ file: 'd/a.yaml', text })).toHaveLength(1);
  });
});

describe('an error in a folder too', () => {
  test.each([
    ['a misspelt kind', edit(DEPLOYMENT, 'kind: Deployment', 'kind: Deploymnet'), 'has no kind "Deploymnet"'],
    ['a misspelt group', edit(DEPLOYMENT, 'apps/v1', 'app/v1'), '"app/v1" has no Deployment'],
    ['no API version', edit(DEPLOYMENT, 'apiVersion: apps/v1\n', ''), 'is missing'],
    ['a misspelt head', edit(DEPLOYMENT, 'apiVersion:', 'apiversion:'), '"apiversion" is not a field'],
    ['a kind that Karpenter does not have', edit(NODE_POOL, 'kind: NodePool', 'kind: Fleet'), 'has no kind "Fleet"'],
    ['broken YAML of an object', edit(DEPLOYMENT, 'metadata:', 'metadata: ]'), 'not valid YAML'],
  ])('%s', (_, text, message) => {
    expect(problems(inFolder('d/a.yaml', text)).join()).toContain(message);
  });
});

test('the patches that a Kustomization names are passed over; its resources are read', () => {
  const kustomization = [
    'resources: [../../base, web.yaml]',
    'patches: [{path: ./replicas.yaml, target: {kind: Deployment}}, {patch: "- op: remove"}]',
    'patchesStrategicMerge: [more/memory.yaml]',
    'patchesJson6902: [{path: ../shared/ops.yaml}]',
  ].join('\n');
  const patch = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n';
  const sources = [
    inFolder('./o/dev/kustomization.yaml', kustomization),
    inFolder('o/dev/replicas.yaml', patch),
    inFolder('o/dev/more/memory.yaml', patch),
    inFolder('o/shared/ops.yaml', patch),
    inFolder('o/dev/web.yaml', join(DEPLOYMENT, NODE_POOL, NODE_CLASS)),
  ];
  expect(passedOver(...sources).map((one) => one.replace(/ \(.*/, ''))).toEqual([
    './o/dev/kustomization.yaml:1 is a Kustomization',
    'o/dev/replicas.yaml:1 is a patch',
    'o/dev/more/memory.yaml:1 is a patch',
    'o/shared/ops.yaml:1 is a patch',
  ]);
  expect(readManifests(sources).manifests.deployments).toHaveLength(1);
});
