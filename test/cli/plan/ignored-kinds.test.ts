import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { aDocument, aGivenPool } from '../../snapshot/documents.ts';
import { runKerf } from '../run-kerf.ts';

const NO_PODS = 'ignored: pods of this kind are not planned';
const SAME_REPLICAS = 'ignored: its target keeps its replicas';

const TARGET = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 9 };
const POOL = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', ...aGivenPool() };

async function notesOn(objects: readonly object[], args: readonly string[]): Promise<readonly string[]> {
  const files = {
    'a.json': JSON.stringify(aDocument()),
    'pool.yaml': stringify(POOL),
    'all.yaml': objects.map((one) => stringify(one)).join('---\n'),
  };
  const { stderr, code } = await runKerf(['plan', ...args, '-f', 'all.yaml'], files);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  return stderr
    .trimEnd()
    .split('\n')
    .filter((line) => line.includes('all.yaml') || line.includes('plan: '));
}

const OVER_SNAPSHOT = ['provisioning', '--snapshot', 'a.json'];
const DISRUPTION = ['disruption', '--snapshot', 'a.json'];
const ALONE = ['provisioning', '-f', 'pool.yaml'];

test.each<readonly [apiVersion: string, kind: string, fields: object, note: string]>([
  ['v1', 'ConfigMap', {}, 'not used by a plan'],
  ['v1', 'ReplicationController', {}, NO_PODS],
  ['argoproj.io/v1alpha1', 'Rollout', {}, NO_PODS],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', { spec: TARGET }, SAME_REPLICAS],
  ['keda.sh/v1alpha1', 'ScaledObject', {}, SAME_REPLICAS],
  ['autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', {}, 'ignored: the requests of its target stay as they are'],
  ['scheduling.k8s.io/v1', 'PriorityClass', { value: 1 }, 'ignored: no pod of a plan preempts another'],
  ['v1', 'ResourceQuota', {}, 'ignored: quotas are not enforced'],
])('a plan names an object of %s %s, which has no effect on it', async (...[apiVersion, kind, fields, note]) => {
  const object = { apiVersion, kind, metadata: { name: 'web' }, ...fields };
  for (const args of [OVER_SNAPSHOT, DISRUPTION, ALONE])
    expect(await notesOn([object], args)).toEqual([`all.yaml:1  ${kind}/web: ${note}`]);
});

test('a plan without a snapshot does not name one in its note on a Node', async () => {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } };
  expect(await notesOn([node], OVER_SNAPSHOT)).toEqual(['all.yaml:1  Node/a: ignored: nodes come from the snapshot']);
  expect(await notesOn([node], ALONE)).toEqual([
    'all.yaml:1  Node/a: ignored: without a snapshot, the cluster of a plan has no nodes',
  ]);
});

test('a plan has one line for many objects of kinds that mean nothing to it', async () => {
  const many = ['a', 'b', 'c'].flatMap((name) =>
    ['ConfigMap', 'Service'].map((kind) => ({ apiVersion: 'v1', kind, metadata: { name } })),
  );
  expect(await notesOn(many, OVER_SNAPSHOT)).toEqual([
    '6 objects of 2 kinds are not used by a plan: ConfigMap (3), Service (3)',
  ]);
});
