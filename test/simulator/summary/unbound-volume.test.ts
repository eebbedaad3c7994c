import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { aStatefulSet, someManifests } from '../../builders/cluster-manifests.ts';
import { aStorageClass } from '../../builders/storage.ts';
import { live } from '../../controllers/life.ts';

test('a pod that the scheduler does not bind to the node that Kerf launched has this as its reason', async () => {
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName: 'gp3' } as const;
  const result = await live({
    manifests: someManifests({
      deployments: [],
      statefulSets: [aStatefulSet('db', { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }] })],
      storageClasses: [{ ...aStorageClass(), provisioner: 'kubernetes.io/no-provisioner' }],
    }),
    durationMs: 10 * MINUTE_MS,
  });
  expect(result.podsPending.map(({ pod, reason }) => `${pod}: ${reason}`)).toEqual([
    'default/db-0: Kerf has a node for it, and the scheduler does not bind it there: check its volumes',
  ]);
});
