import { BOOLEAN, closed, OBJECT, type Schema, TEXT, textSchema } from './schema.ts';

/** The source types of a volume, of which it has at most one. Only claims are read. */
export const VOLUME_SOURCES: Readonly<Record<string, Schema>> = {
  persistentVolumeClaim: closed({ claimName: TEXT, readOnly: BOOLEAN }, ['claimName']),
  ephemeral: closed({ volumeClaimTemplate: OBJECT }),
  awsElasticBlockStore: OBJECT,
  azureDisk: OBJECT,
  azureFile: OBJECT,
  cephfs: OBJECT,
  cinder: OBJECT,
  configMap: OBJECT,
  csi: OBJECT,
  downwardAPI: OBJECT,
  emptyDir: OBJECT,
  fc: OBJECT,
  flexVolume: OBJECT,
  flocker: OBJECT,
  gcePersistentDisk: OBJECT,
  gitRepo: OBJECT,
  glusterfs: OBJECT,
  hostPath: OBJECT,
  image: OBJECT,
  iscsi: OBJECT,
  nfs: OBJECT,
  photonPersistentDisk: OBJECT,
  portworxVolume: OBJECT,
  projected: OBJECT,
  quobyte: OBJECT,
  rbd: OBJECT,
  scaleIO: OBJECT,
  secret: OBJECT,
  storageos: OBJECT,
  vsphereVolume: OBJECT,
};

export const VOLUME: Schema = closed({ name: textSchema('dns-label'), ...VOLUME_SOURCES }, ['name']);
