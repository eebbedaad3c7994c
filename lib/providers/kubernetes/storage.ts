import type {
  CsiNode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from '../../apis/storage.ts';
import type { ListOptions } from './client/lists.ts';
import { checked, each, fieldsOf, isNamed, metadataOf, pick, type RawObject } from './project/project.ts';

/** The storage kinds, reduced to the fields that are used. */

export const PERSISTENT_VOLUME_CLAIMS: ListOptions<PersistentVolumeClaim> = {
  path: '/api/v1/persistentvolumeclaims',
  project: persistentVolumeClaimOf,
};
export const PERSISTENT_VOLUMES: ListOptions<PersistentVolume> = {
  path: '/api/v1/persistentvolumes',
  project: persistentVolumeOf,
};
export const CSI_NODES: ListOptions<CsiNode> = { path: '/apis/storage.k8s.io/v1/csinodes', project: csiNodeOf };
export const STORAGE_CLASSES: ListOptions<StorageClass> = {
  path: '/apis/storage.k8s.io/v1/storageclasses',
  project: storageClassOf,
};
export const VOLUME_ATTACHMENTS: ListOptions<VolumeAttachment> = {
  path: '/apis/storage.k8s.io/v1/volumeattachments',
  project: volumeAttachmentOf,
};

/** Of claims and volumes. */
const SPEC_FIELDS = [
  'storageClassName',
  'accessModes',
  'volumeMode',
  'volumeName',
  'resources',
  'selector',
  'capacity',
  'claimRef',
  'nodeAffinity',
  'awsElasticBlockStore',
  'local',
  'hostPath',
];

function persistentVolumeClaimOf(raw: RawObject): PersistentVolumeClaim | undefined {
  const spec = pick(fieldsOf(raw['spec']), SPEC_FIELDS);
  return checked({ metadata: metadataOf(raw), spec, status: pick(fieldsOf(raw['status']), ['phase']) }, isClaim);
}

function persistentVolumeOf(raw: RawObject): PersistentVolume | undefined {
  const spec = fieldsOf(raw['spec']);
  const csi = spec['csi'] === undefined ? {} : { csi: pick(fieldsOf(spec['csi']), ['driver', 'volumeHandle']) };
  return checked({ metadata: metadataOf(raw), spec: { ...pick(spec, SPEC_FIELDS), ...csi } }, isVolume);
}

function storageClassOf(raw: RawObject): StorageClass | undefined {
  const fields = ['provisioner', 'volumeBindingMode', 'allowedTopologies'];
  return checked({ metadata: metadataOf(raw), ...pick(raw, fields) }, isStorageClass);
}

function csiNodeOf(raw: RawObject): CsiNode | undefined {
  const drivers = each(fieldsOf(raw['spec'])['drivers'], (driver) => pick(driver, ['name', 'allocatable']));
  return checked({ metadata: metadataOf(raw), spec: { drivers } }, isCsiNode);
}

function volumeAttachmentOf(raw: RawObject): VolumeAttachment | undefined {
  const { nodeName, source } = fieldsOf(raw['spec']);
  const spec = { nodeName, source: pick(fieldsOf(source), ['persistentVolumeName']) };
  return checked({ metadata: metadataOf(raw), spec }, isVolumeAttachment);
}

function isVolumeAttachment(value: unknown): value is VolumeAttachment {
  return isNamed(value) && typeof fieldsOf(fieldsOf(value)['spec'])['nodeName'] === 'string';
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
