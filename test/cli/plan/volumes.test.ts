import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Storage } from '../../../lib/apis/storage.ts';
import type { ProvisioningOutput } from '../../../lib/cli/plan/provisioning-output.ts';
import { aStatefulSet } from '../../builders/cluster-manifests.ts';
import { aStorageClass, aVolume, aVolumeClaim, inZones } from '../../builders/storage.ts';
import { aDocument } from '../../snapshot/documents.ts';
import { CLASS, join, POOL } from '../manifest-texts.ts';
import { runKerf } from '../run-kerf.ts';

/** Plans with the StorageClasses, PersistentVolumes and PersistentVolumeClaims of the manifests. */

const MODES = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } };
const ZONE = 'topology.kubernetes.io/zone';

function text(kind: string, object: object, apiVersion = 'v1'): string {
  return stringify({ apiVersion, kind, ...object });
}

function aSet(over: Readonly<Record<string, unknown>> = {}, storageClassName: string | undefined = 'gp3'): string {
  const spec = { ...MODES, ...(storageClassName === '' ? {} : { storageClassName }) };
  const set = aStatefulSet('db', { replicas: 3 });
  return text(
    'StatefulSet',
    { ...set, spec: { ...set.spec, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }], ...over } },
    'apps/v1',
  );
}

function aClass(over: Parameters<typeof aStorageClass>[0] = {}): string {
  return text('StorageClass', aStorageClass(over), 'storage.k8s.io/v1');
}

function inZone(zone: string): Parameters<typeof aStorageClass>[0] {
  return { allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: [zone] }] }] };
}

function volumeIn(name: string, zone: string, spec: object = {}): string {
  const volume = aVolume({ name, terms: [inZones([zone])] });
  const { accessModes } = MODES;
  return text('PersistentVolume', {
    ...volume,
    spec: { ...volume.spec, accessModes, capacity: { storage: '10Gi' }, storageClassName: 'gp3', ...spec },
  });
}

function claimText(name: string, spec: object = {}): string {
  return text('PersistentVolumeClaim', { metadata: { name }, spec: { ...MODES, storageClassName: 'gp3', ...spec } });
}

interface Planned {
  readonly output: ProvisioningOutput;
  readonly stderr: string;
  /** The zones that each pod can have. */
  readonly zones: Readonly<Record<string, readonly string[]>>;
}

async function planned(args: readonly string[], files: Readonly<Record<string, string>>): Promise<Planned> {
  const { stdout, stderr, code } = await runKerf(['plan', ...args, '-o', 'json'], files);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  const output: ProvisioningOutput = JSON.parse(stdout);
  const zones = Object.fromEntries(
    output.newNodeClaims.flatMap(({ pods, requirements }) =>
      pods.map((pod) => [pod, requirements[ZONE]?.flatMap(({ values }) => values) ?? []]),
    ),
  );
  return { output, stderr, zones };
}

/** Plans the texts in a cluster without nodes. */
async function alone(...texts: readonly string[]): Promise<Planned> {
  return planned(['all.yaml'], { 'all.yaml': join(POOL, CLASS, ...texts) });
}

/** Plans the texts on a snapshot with this storage. */
async function onSnapshot(storage: Partial<Storage>, ...texts: readonly string[]): Promise<Planned> {
  const { persistentVolumeClaims: pvcs = [], persistentVolumes: pvs = [], storageClasses = [] } = storage;
  const document = JSON.stringify(aDocument({ pvcs, pvs, storageClasses }));
  return planned(['provisioning', '--snapshot', 'a.json', '-f', 'all.yaml'], {
    'a.json': document,
    'all.yaml': join(...texts),
  });
}

const [A, B, C] = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;
const PODS = ['default/db-0', 'default/db-1', 'default/db-2'];

describe('without a snapshot, the volumes are those of the files', () => {
  test('a class with WaitForFirstConsumer leaves the zone to the pods', async () => {
    const { output, stderr } = await alone(aSet(), aClass());
    expect(output.newNodeClaims.flatMap(({ pods }) => pods).toSorted()).toEqual(PODS);
    expect(stderr).not.toMatch(/StorageClass|ignored/);
  });

  test('the pods run in the allowedTopologies of the class', async () => {
    const { zones } = await alone(aSet(), aClass(inZone(B)));
    expect(zones).toEqual(Object.fromEntries(PODS.map((pod) => [pod, [B]])));
  });

  test('with Immediate, the volumes exist before the pods, in the zones of the NodePools in turn, as in kerf simulate', async () => {
    const pool = POOL.replace(
      'requirements:',
      `requirements:\n        - {key: ${ZONE}, operator: In, values: [${A}, ${B}, ${C}]}`,
    );
    expect(pool).not.toBe(POOL);
    const { zones } = await planned(['all.yaml'], {
      'all.yaml': join(pool, CLASS, aSet(), aClass({ volumeBindingMode: 'Immediate' })),
    });
    expect(zones).toEqual({ 'default/db-0': [A], 'default/db-1': [B], 'default/db-2': [C] });
  });

  test('a claim without a class gets the default class of the files', async () => {
    const metadata = { name: 'gp3', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } };
    const { zones } = await alone(aSet({}, ''), aClass({ ...inZone(C), metadata }));
    expect(zones).toEqual(Object.fromEntries(PODS.map((pod) => [pod, [C]])));
  });

  test('a pod runs in the zone of the volume that its claim names', async () => {
    const { zones } = await alone(
      aSet(),
      aClass(),
      claimText('data-db-1', { volumeName: 'pv-b' }),
      volumeIn('pv-b', B),
    );
    expect(zones['default/db-1']).toEqual([B]);
  });

  test('a claim whose volume is in no file is refused by its name', async () => {
    const { output } = await alone(aSet({ replicas: 1 }), aClass(), claimText('data-db-0', { volumeName: 'gone' }));
    expect(output.podErrors['default/db-0']?.map(({ reason }) => reason)).toEqual(['PersistentVolumeMissing']);
  });

  test('without a StorageClass in the files, a class of EBS stands in, with a note', async () => {
    const { output, stderr } = await alone(aSet());
    expect(output.newNodeClaims.flatMap(({ pods }) => pods).toSorted()).toEqual(PODS);
    expect(stderr).toContain(
      'StorageClass gp3: it is not in the files: a class of ebs.csi.aws.com with WaitForFirstConsumer stands in\n',
    );
  });

  test('a class that the files lack is an error if they have another class', async () => {
    const { output } = await alone(aSet(), aClass({ name: 'io2' }));
    expect(Object.keys(output.podErrors).toSorted()).toEqual(PODS);
    expect(output.podErrors['default/db-0']?.[0]?.message).toContain('StorageClass gp3 of');
  });

  test('the ordinals of the StatefulSet name the pods and their claims', async () => {
    const { zones } = await alone(
      aSet({ replicas: 2, ordinals: { start: 5 } }),
      aClass(),
      claimText('data-db-6', { volumeName: 'pv-b' }),
      volumeIn('pv-b', B),
    );
    expect(Object.keys(zones).toSorted()).toEqual(['default/db-5', 'default/db-6']);
    expect(zones['default/db-6']).toEqual([B]);
  });
});

describe('with a snapshot, the files add to its volumes', () => {
  test('a StatefulSet of the files keeps the volumes that its claims of the snapshot are bound to', async () => {
    const volume = aVolume({ name: 'pv-1', terms: [inZones([B])] });
    const claim = aVolumeClaim({ name: 'data-db-1', volume: 'pv-1' });
    const { zones } = await onSnapshot(
      { storageClasses: [aStorageClass()], persistentVolumes: [volume], persistentVolumeClaims: [claim] },
      aSet({ replicas: 2 }),
      claimText('data-db-1'),
    );
    expect(zones['default/db-1']).toEqual([B]);
    expect(Object.keys(zones).toSorted()).toEqual(['default/db-0', 'default/db-1']);
  });

  test('a class of the files replaces that of the snapshot, and a new one is added', async () => {
    const { zones } = await onSnapshot({ storageClasses: [aStorageClass()] }, aSet(), aClass(inZone(B)));
    expect(zones).toEqual(Object.fromEntries(PODS.map((pod) => [pod, [B]])));
    const added = await onSnapshot({ storageClasses: [aStorageClass()] }, aSet({}, 'io2'), aClass({ name: 'io2' }));
    expect(Object.keys(added.zones).toSorted()).toEqual(PODS);
  });

  test('nothing stands in for a class that neither has', async () => {
    const { output } = await onSnapshot({}, aSet({ replicas: 1 }));
    expect(output.podErrors['default/db-0']?.map(({ reason }) => reason)).toEqual(['StorageClassMissing']);
  });

  test('a pending claim of the snapshot is not bound because of manifests of other classes', async () => {
    const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main' }] } };
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    const { output } = await onSnapshot(
      {
        storageClasses: [aStorageClass({ volumeBindingMode: 'Immediate' })],
        persistentVolumeClaims: [aVolumeClaim({ phase: 'Pending' })],
      },
      text('Pod', { ...pod, spec: { ...pod.spec, volumes } }),
      aClass({ name: 'io2' }),
    );
    expect(output.podErrors['default/web']?.map(({ reason }) => reason)).toEqual(['PersistentVolumeClaimPending']);
  });
});

test('kerf diff reads the volumes of the files too', async () => {
  const document = JSON.stringify(aDocument({ storageClasses: [aStorageClass()] }));
  const { stdout, stderr } = await runKerf(['diff', '--snapshot', 'a.json', '-f', 'db.yaml', '-o', 'json'], {
    'a.json': document,
    'db.yaml': join(aSet(), aClass(inZone(B))),
  });
  expect(stderr).toBe('');
  expect(stdout).toContain(B);
  expect(stdout).not.toContain(A);
});
