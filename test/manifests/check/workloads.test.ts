import { expect, test } from 'vitest';
import { readManifests } from '../../../lib/manifests/read/read-manifests.ts';
import { type Case, expectProblems } from './expect-problems.ts';
import { DEPLOYMENT, edit, join, STATEFUL_SET } from './texts.ts';

const set = (from: string, to: string): string => edit(STATEFUL_SET, from, to);
const replicaSet = edit(DEPLOYMENT, 'kind: Deployment', 'kind: ReplicaSet');

const BROKEN: readonly Case[] = [
  [set('Parallel', 'Paralell'), 7, 'spec.podManagementPolicy', 'did you mean Parallel?'],
  [set('replicas: 3', 'replicas: many'), 6, 'spec.replicas', 'write a whole number of 0 or more'],
  [set('matchLabels: {app: db}', 'matchLabels: {app: bd}'), 8, 'spec.selector', 'does not match the labels'],
  [
    set('[ReadWriteOnce]', '[ReadWriteTwice]'),
    20,
    'spec.volumeClaimTemplates[0].spec.accessModes[0]',
    'did you mean ReadWriteOnce?',
  ],
  [
    set('volumeClaimTemplates', 'volumeClaimTemplate'),
    17,
    'spec.volumeClaimTemplate',
    'did you mean volumeClaimTemplates?',
  ],
  [edit(replicaSet, 'replicas: 3', 'replica: 3'), 7, 'spec.replica', 'did you mean replicas?'],
];

expectProblems('a broken StatefulSet or ReplicaSet is refused', BROKEN);

test('StatefulSets and ReplicaSets are read', () => {
  const { manifests, problems } = readManifests([{ file: 'a.yaml', text: join(STATEFUL_SET, replicaSet) }]);
  expect(problems).toEqual([]);
  expect(manifests.statefulSets[0]?.spec).toMatchObject({ podManagementPolicy: 'Parallel', replicas: 3 });
  expect(manifests.replicaSets[0]?.metadata).toMatchObject({ name: 'web', namespace: 'default' });
  expect(manifests.ignored).toEqual([]);
});

test('what a workload of the files creates is left out; what another one creates is read', () => {
  const owned = (name: string, owner: string): string =>
    edit(
      edit(replicaSet, 'name: web', `name: ${name}`),
      'labels: {app: web}',
      `ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: ${owner}, uid: a, controller: true}]`,
    );
  const { manifests, problems } = readManifests([
    { file: 'a.yaml', text: join(owned('web-1', 'web'), owned('api-1', 'api'), DEPLOYMENT) },
  ]);
  expect(problems).toEqual([]);
  expect(manifests.replicaSets.map(({ metadata }) => metadata.name)).toEqual(['api-1']);
  expect(manifests.ignored).toMatchObject([
    { kind: 'ReplicaSet', name: 'web-1', note: 'left out: Deployment web creates it' },
  ]);
});
