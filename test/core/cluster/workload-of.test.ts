import { expect, test } from 'vitest';
import { workloadOf } from '../../../lib/core/cluster/workload-of.ts';
import { aPod, type PodOptions } from '../../builders/pods.ts';

test.each<[PodOptions, string]>([
  [{ ownerName: 'web-5f6d', labels: { 'pod-template-hash': '5f6d' } }, 'Deployment default/web'],
  [{ ownerName: 'web-5f6d' }, 'ReplicaSet default/web-5f6d'],
  [{ ownerName: 'web-5f7d9c6b8d' }, 'Deployment default/web'],
  [{ ownerName: 'web-frontend1' }, 'ReplicaSet default/web-frontend1'],
  [{ ownerName: 'web-5f6d', labels: { 'pod-template-hash': '' } }, 'ReplicaSet default/web-5f6d'],
  [{ ownerName: 'web-5f6d', labels: { 'pod-template-hash': '77aa' } }, 'ReplicaSet default/web-5f6d'],
  [{ owner: 'StatefulSet', ownerName: 'db', namespace: 'shop' }, 'StatefulSet shop/db'],
  [{ owner: 'Job', ownerName: 'nightly-28', namespace: 'shop' }, 'Job shop/nightly-28'],
])('the workload of a pod with %j is %s', (options, workload) => {
  expect(workloadOf(aPod(options))).toBe(workload);
});

test('a pod without a controller has no workload', () => {
  const { metadata, spec } = aPod();
  const [owner] = metadata.ownerReferences ?? [];
  if (owner === undefined) throw new Error('no owner');
  const { controller: _controller, ...other } = owner;
  expect(workloadOf({ spec, metadata: { ...metadata, ownerReferences: [other] } })).toBeUndefined();
});
