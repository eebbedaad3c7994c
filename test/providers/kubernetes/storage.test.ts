import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiClient } from '../../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { aStorageClass, aVolume, aVolumeClaim } from '../../builders/storage.ts';
import { NOW_MS } from '../../builders/times.ts';
import { FakeApiServer } from '../../fakes/api-server.ts';

let server: FakeApiServer;
let client: ApiClient;
let cluster: KubernetesCluster;

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = new ApiClient({ endpoint: server.endpoint, sleep: async () => undefined });
  cluster = new KubernetesCluster({ client, clock: { now: () => NOW_MS } });
});
afterEach(async () => {
  client.close();
  await server.close();
});

const CORE = '/api/v1';
const STORAGE = '/apis/storage.k8s.io/v1';

test('storage objects have only the fields that restrict where a pod can run (B42, B44)', async () => {
  const claim = { ...aVolumeClaim({ volume: 'pv-1', accessModes: ['ReadWriteOncePod'] }), status: { phase: 'Bound' } };
  const volume = aVolume({
    terms: [{ matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['eu-west-3a'] }] }],
  });
  const storageClass = aStorageClass();
  const drivers = [{ name: 'ebs.csi.aws.com', allocatable: { count: 25 } }];
  const csiNode = { metadata: { name: 'node-1' }, spec: { drivers } };
  const traits = { storageClassName: 'gp3', capacity: { storage: '10Gi' }, volumeMode: 'Block' };
  const claimRef = { namespace: 'default', name: 'data', uid: 'u1' };
  server.store.put(
    { group: CORE, resource: 'persistentvolumeclaims', namespace: 'default', name: 'data' },
    {
      ...claim,
      spec: { ...claim.spec, resources: { requests: { storage: '10Gi' } }, dataSource: { name: 'left-out' } },
    },
  );
  server.store.put(
    { group: CORE, resource: 'persistentvolumes', name: 'pv-1' },
    { ...volume, spec: { ...volume.spec, ...traits, claimRef, mountOptions: ['left-out'] } },
  );
  server.store.put(
    { group: STORAGE, resource: 'storageclasses', name: storageClass.metadata.name },
    { ...storageClass, parameters: { type: 'gp3' } },
  );
  server.store.put({ group: STORAGE, resource: 'csinodes', name: csiNode.metadata.name }, { ...csiNode });
  const storage = await cluster.readStorage();
  expect(storage).toMatchObject({
    persistentVolumeClaims: [{ ...claim, spec: { resources: { requests: { storage: '10Gi' } } } }],
    persistentVolumes: [{ ...volume, spec: { ...volume.spec, ...traits, claimRef } }],
    storageClasses: [storageClass],
    csiNodes: [csiNode],
  });
  expect(JSON.stringify(storage)).not.toContain('left-out');
  expect(JSON.stringify(storage)).not.toContain('parameters');
});

test('many VolumeAttachments are listed once: the next read is updated by a watch', async () => {
  const names = Array.from({ length: 1_001 }, (_, at) => `csi-${String(at).padStart(4, '0')}`);
  for (const name of names) {
    const spec = { nodeName: 'node-1', source: { persistentVolumeName: `pv-${name}` } };
    server.store.put({ group: STORAGE, resource: 'volumeattachments', name }, { spec });
  }
  expect(await cluster.listVolumeAttachments()).toHaveLength(names.length);
  server.requests.length = 0;
  const [gone = '', ...left] = names;
  server.store.remove({ group: STORAGE, resource: 'volumeattachments', name: gone });
  expect((await cluster.listVolumeAttachments()).map(({ metadata }) => metadata.name)).toEqual(left);
  expect(server.requests.map(({ query }) => query.get('watch') ?? `list of ${query.get('limit')}`)).toEqual([
    'list of 1',
    '1',
  ]);
});

test('LimitRanges have their limits', async () => {
  const limits = [{ type: 'Container', defaultRequest: { cpu: '250m' }, max: { memory: '1Gi' } }];
  const place = { group: CORE, resource: 'limitranges', namespace: 'shop' };
  server.store.put({ ...place, name: 'defaults' }, { spec: { limits } });
  server.store.put({ ...place, name: 'broken' }, { spec: {} });
  expect(await cluster.listLimitRanges()).toMatchObject([
    { metadata: { name: 'defaults', namespace: 'shop' }, spec: { limits } },
  ]);
});

test('namespaces have their labels (B52)', async () => {
  const labels = { team: 'a' };
  server.store.put({ group: CORE, resource: 'namespaces', name: 'shop' }, { metadata: { labels } });
  expect(await cluster.listNamespaces()).toMatchObject([{ metadata: { name: 'shop', labels } }]);
});
