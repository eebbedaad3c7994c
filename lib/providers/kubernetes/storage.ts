import type { CsiNode, PersistentVolume, PersistentVolumeClaim, Storage, StorageClass } from '../../apis/storage.ts';
import type { ApiClient } from './api-client.ts';
import { listAll } from './lists.ts';
import { checked, each, type Fields, fieldsOf, isNamed, metadataOf, pick } from './project.ts';

/** The cluster's storage, cut to what says where a pod may run. */
export async function readStorage(client: ApiClient): Promise<Storage> {
  const [persistentVolumeClaims, persistentVolumes, storageClasses, csiNodes] = await Promise.all([
    listAll(client, { path: '/api/v1/persistentvolumeclaims', project: persistentVolumeClaimOf }),
    listAll(client, { path: '/api/v1/persistentvolumes', project: persistentVolumeOf }),
    listAll(client, { path: '/apis/storage.k8s.io/v1/storageclasses', project: storageClassOf }),
    listAll(client, { path: '/apis/storage.k8s.io/v1/csinodes', project: csiNodeOf }),
  ]);
  return { persistentVolumeClaims, persistentVolumes, storageClasses, csiNodes };
}

function persistentVolumeClaimOf(raw: Fields): PersistentVolumeClaim | undefined {
  const spec = pick(fieldsOf(raw['spec']), ['storageClassName', 'volumeName']);
  return checked({ metadata: metadataOf(raw), spec, status: pick(fieldsOf(raw['status']), ['phase']) }, isClaim);
}

function persistentVolumeOf(raw: Fields): PersistentVolume | undefined {
  const fields = ['nodeAffinity', 'awsElasticBlockStore', 'local', 'hostPath'];
  const spec = fieldsOf(raw['spec']);
  const csi = spec['csi'] === undefined ? {} : { csi: pick(fieldsOf(spec['csi']), ['driver', 'volumeHandle']) };
  return checked({ metadata: metadataOf(raw), spec: { ...pick(spec, fields), ...csi } }, isVolume);
}

function storageClassOf(raw: Fields): StorageClass | undefined {
  const fields = ['provisioner', 'volumeBindingMode', 'allowedTopologies'];
  return checked({ metadata: metadataOf(raw), ...pick(raw, fields) }, isStorageClass);
}

function csiNodeOf(raw: Fields): CsiNode | undefined {
  const drivers = each(fieldsOf(raw['spec'])['drivers'], (driver) => pick(driver, ['name', 'allocatable']));
  return checked({ metadata: metadataOf(raw), spec: { drivers } }, isCsiNode);
}

function isClaim(value: unknown): value is PersistentVolumeClaim {
  return isNamed(value);
}

function isVolume(value: unknown): value is PersistentVolume {
  return isNamed(value);
}

function isStorageClass(value: unknown): value is StorageClass {
  return isNamed(value) && typeof fieldsOf(value)['provisioner'] === 'string';
}

function isCsiNode(value: unknown): value is CsiNode {
  return isNamed(value);
}
