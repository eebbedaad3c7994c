import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../lib/apis/storage.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { aDeployment, aStatefulSet, someManifests } from '../../builders/cluster-manifests.ts';
import { aStorageClass, aVolume, inZones } from '../../builders/storage.ts';
import { live } from '../../controllers/life.ts';

function claim(spec: PersistentVolumeClaim['spec']): PersistentVolumeClaim {
  return {
    metadata: { name: 'data', namespace: 'default' },
    spec: { storageClassName: 'gp3', resources: { requests: { storage: '5Gi' } }, ...spec },
  };
}

function volume(zone: string, storage: string): PersistentVolume {
  const made = aVolume({ name: 'disk', terms: [inZones([zone])] });
  return { ...made, spec: { ...made.spec, storageClassName: 'gp3', capacity: { storage } } };
}

/** Pods that share one claim, in a pool of one zone, us-east-1a. */
async function pendingFor(
  over: Parameters<typeof someManifests>[0],
  replicas = 1,
  durationMs = 10 * MINUTE_MS,
): Promise<readonly string[]> {
  const web = aDeployment('web', replicas, '100m');
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const template = { ...web.spec.template, spec: { ...web.spec.template.spec, volumes } };
  const deployments = [{ ...web, spec: { ...web.spec, template } }];
  return reasonsOf(await live({ manifests: someManifests({ deployments, ...over }), durationMs }));
}

function reasonsOf({ podsPending }: SimulationResult): readonly string[] {
  return podsPending.map(({ reason }) => reason);
}

const STATIC = { ...aStorageClass(), provisioner: 'kubernetes.io/no-provisioner' };

describe('the reason of a pod that waits for a volume', () => {
  test('is that no volume matches its claim, if none does and none is provisioned', async () => {
    const given = { storageClasses: [STATIC], persistentVolumeClaims: [claim({})] };
    const expected = ['no PersistentVolume matches PersistentVolumeClaim data, and none is provisioned for it'];
    expect(await pendingFor(given)).toEqual(expected);
    expect(await pendingFor({ ...given, persistentVolumes: [volume('us-east-1a', '4Gi')] })).toEqual([
      'no PersistentVolume of StorageClass gp3 matches PersistentVolumeClaim default/data: create one',
    ]);
    const spec = { accessModes: ['ReadWriteOnce'], storageClassName: 'gp3' } as const;
    const statefulSets = [aStatefulSet('db', { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }] })];
    const manifests = someManifests({ deployments: [], statefulSets, storageClasses: [STATIC] });
    expect(reasonsOf(await live({ manifests, durationMs: 10 * MINUTE_MS }))).toEqual([
      'no PersistentVolume matches PersistentVolumeClaim data-db-0, and none is provisioned for it',
    ]);
  });

  test('is that the pool has no node in the zones of the available volumes, so that none is launched in vain', async () => {
    const given = {
      storageClasses: [STATIC],
      persistentVolumeClaims: [claim({})],
      persistentVolumes: [volume('us-east-1c', '10Gi')],
    };
    expect(await pendingFor(given)).toEqual([
      'NodePool general: requires topology.kubernetes.io/zone In [us-east-1c], but the pool allows In [us-east-1a]; the volume of PersistentVolumeClaim data restricts topology.kubernetes.io/zone',
    ]);
  });

  test('is the pod that uses its claim, if the access mode is ReadWriteOncePod', async () => {
    const persistentVolumeClaims = [claim({ accessModes: ['ReadWriteOncePod'] })];
    const [reason, ...more] = await pendingFor({ storageClasses: [aStorageClass()], persistentVolumeClaims }, 2);
    expect(more).toEqual([]);
    expect(reason).toMatch(
      /^pod default\/web-\S+ uses PersistentVolumeClaim default\/data \(ReadWriteOncePod\): wait until it has ended$/,
    );
  });
});

test('a pod that the scheduler does not bind to its node, although its volumes allow it, has this as its reason', async () => {
  const faults = [{ kind: 'scheduler-down', id: 1, fromMs: 30_000, forMs: 60 * MINUTE_MS }] as const;
  const manifests = someManifests({ deployments: [aDeployment('web', 1)] });
  expect(reasonsOf(await live({ manifests, faults, durationMs: 10 * MINUTE_MS }))).toEqual([
    'Kerf has a node for it, and the scheduler has not bound it there',
  ]);
});
