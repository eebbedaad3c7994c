import { OBJECT_META_SCHEMA } from './object-meta.ts';
import {
  BOOLEAN,
  closed,
  enumSchema,
  listOf,
  OBJECT,
  QUANTITY,
  resource,
  type Schema,
  STRING,
  STRING_MAP,
  STRINGS,
  TEXT,
  textSchema,
} from './schema.ts';
import { LABEL_SELECTOR_SCHEMA, NODE_SELECTOR_TERM_SCHEMA } from './selectors.ts';
import { VOLUME_SOURCES } from './volume.ts';

/** The storage kinds of Kubernetes 1.35, with every field. */

const ACCESS_MODES: Schema = listOf(enumSchema('ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'), {
  minItems: 1,
});
const VOLUME_MODE: Schema = enumSchema('Filesystem', 'Block');
const RECLAIM_POLICY: Schema = enumSchema('Retain', 'Delete', 'Recycle');
const STORAGE_AMOUNT: Schema = { type: 'object', properties: { storage: QUANTITY }, required: ['storage'] };

/** The spec of a PersistentVolumeClaim, and of the template of one. */
export const VOLUME_CLAIM_SPEC: Schema = closed(
  {
    accessModes: ACCESS_MODES,
    resources: closed({ requests: STORAGE_AMOUNT, limits: OBJECT }, ['requests']),
    selector: LABEL_SELECTOR_SCHEMA,
    storageClassName: STRING,
    volumeName: STRING,
    volumeMode: VOLUME_MODE,
    volumeAttributesClassName: STRING,
    dataSource: OBJECT,
    dataSourceRef: OBJECT,
  },
  ['accessModes', 'resources'],
);

export const PERSISTENT_VOLUME_CLAIM: Schema = resource(
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  { metadata: OBJECT_META_SCHEMA, spec: VOLUME_CLAIM_SPEC },
);

/** The types of volumes that exist only in pods. */
const ONLY_IN_PODS: ReadonlySet<string> = new Set([
  'persistentVolumeClaim',
  'ephemeral',
  'configMap',
  'downwardAPI',
  'emptyDir',
  'gitRepo',
  'image',
  'projected',
  'secret',
]);

/** The source types of a PersistentVolume, of which it has exactly one. */
export const PERSISTENT_VOLUME_SOURCES: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(Object.entries(VOLUME_SOURCES).filter(([name]) => !ONLY_IN_PODS.has(name))),
  csi: { ...OBJECT, properties: { driver: TEXT, volumeHandle: TEXT }, required: ['driver', 'volumeHandle'] },
  awsElasticBlockStore: { ...OBJECT, properties: { volumeID: TEXT }, required: ['volumeID'] },
  local: closed({ path: TEXT, fsType: STRING }, ['path']),
};

export const PERSISTENT_VOLUME: Schema = resource(
  { apiVersion: 'v1', kind: 'PersistentVolume' },
  {
    metadata: OBJECT_META_SCHEMA,
    spec: closed(
      {
        ...PERSISTENT_VOLUME_SOURCES,
        accessModes: ACCESS_MODES,
        capacity: STORAGE_AMOUNT,
        claimRef: { ...OBJECT, properties: { namespace: STRING, name: STRING, uid: STRING } },
        mountOptions: STRINGS,
        nodeAffinity: closed({
          required: closed({ nodeSelectorTerms: listOf(NODE_SELECTOR_TERM_SCHEMA, { minItems: 1 }) }, [
            'nodeSelectorTerms',
          ]),
        }),
        persistentVolumeReclaimPolicy: RECLAIM_POLICY,
        storageClassName: STRING,
        volumeAttributesClassName: STRING,
        volumeMode: VOLUME_MODE,
      },
      ['accessModes', 'capacity'],
    ),
  },
);

/** It has no spec and no status. */
export const STORAGE_CLASS: Schema = closed(
  {
    apiVersion: enumSchema('storage.k8s.io/v1'),
    kind: enumSchema('StorageClass'),
    metadata: OBJECT_META_SCHEMA,
    provisioner: TEXT,
    parameters: STRING_MAP,
    reclaimPolicy: RECLAIM_POLICY,
    volumeBindingMode: enumSchema('Immediate', 'WaitForFirstConsumer'),
    allowVolumeExpansion: BOOLEAN,
    mountOptions: STRINGS,
    allowedTopologies: listOf(
      closed({
        matchLabelExpressions: listOf(
          closed({ key: textSchema('qualified-name'), values: listOf(STRING, { minItems: 1 }) }, ['key', 'values']),
        ),
      }),
    ),
  },
  ['apiVersion', 'kind', 'metadata', 'provisioner'],
);
