import { OBJECT_META_SCHEMA, TEMPLATE_META } from './object-meta.ts';
import { POD_SPEC } from './pod-spec.ts';
import {
  BOOLEAN,
  COUNT,
  COUNT_OR_PERCENT,
  closed,
  enumSchema,
  listOf,
  resource,
  type Schema,
  STRING,
} from './schema.ts';
import { LABEL_SELECTOR_SCHEMA } from './selectors.ts';
import { VOLUME_CLAIM_SPEC } from './storage.ts';

export const TEMPLATE: Schema = closed({ metadata: TEMPLATE_META, spec: POD_SPEC }, ['spec']);
const ROLLING_UPDATE: Schema = closed({ maxSurge: COUNT_OR_PERCENT, maxUnavailable: COUNT_OR_PERCENT });

export const POD_SCHEMA: Schema = resource(
  { apiVersion: 'v1', kind: 'Pod' },
  { metadata: OBJECT_META_SCHEMA, spec: POD_SPEC },
);

/** A standalone PodTemplate object, which has no spec and no status. */
export const POD_TEMPLATE: Schema = closed(
  { apiVersion: enumSchema('v1'), kind: enumSchema('PodTemplate'), metadata: OBJECT_META_SCHEMA, template: TEMPLATE },
  ['apiVersion', 'kind', 'metadata', 'template'],
);

export const DEPLOYMENT: Schema = resource(
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  {
    metadata: OBJECT_META_SCHEMA,
    spec: closed(
      {
        replicas: COUNT,
        selector: LABEL_SELECTOR_SCHEMA,
        template: TEMPLATE,
        strategy: closed({ type: enumSchema('Recreate', 'RollingUpdate'), rollingUpdate: ROLLING_UPDATE }),
        minReadySeconds: COUNT,
        paused: BOOLEAN,
        progressDeadlineSeconds: COUNT,
        revisionHistoryLimit: COUNT,
      },
      ['selector', 'template'],
    ),
  },
);

export const DAEMON_SET: Schema = resource(
  { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  {
    metadata: OBJECT_META_SCHEMA,
    spec: closed(
      {
        selector: LABEL_SELECTOR_SCHEMA,
        template: TEMPLATE,
        updateStrategy: closed({ type: enumSchema('OnDelete', 'RollingUpdate'), rollingUpdate: ROLLING_UPDATE }),
        minReadySeconds: COUNT,
        revisionHistoryLimit: COUNT,
      },
      ['selector', 'template'],
    ),
  },
);

export const REPLICA_SET: Schema = resource(
  { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  {
    metadata: OBJECT_META_SCHEMA,
    spec: closed({ replicas: COUNT, selector: LABEL_SELECTOR_SCHEMA, template: TEMPLATE, minReadySeconds: COUNT }, [
      'selector',
      'template',
    ]),
  },
);

const KEEP_OR_DELETE: Schema = enumSchema('Retain', 'Delete');
/** The head and the status that exports have are ignored. */
const CLAIM_TEMPLATE: Schema = closed(
  { apiVersion: STRING, kind: STRING, metadata: OBJECT_META_SCHEMA, spec: VOLUME_CLAIM_SPEC, status: {} },
  ['metadata', 'spec'],
);

export const STATEFUL_SET: Schema = resource(
  { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  {
    metadata: OBJECT_META_SCHEMA,
    spec: closed(
      {
        replicas: COUNT,
        selector: LABEL_SELECTOR_SCHEMA,
        template: TEMPLATE,
        serviceName: STRING,
        podManagementPolicy: enumSchema('OrderedReady', 'Parallel'),
        updateStrategy: closed({
          type: enumSchema('OnDelete', 'RollingUpdate'),
          rollingUpdate: closed({ partition: COUNT, maxUnavailable: COUNT_OR_PERCENT }),
        }),
        volumeClaimTemplates: listOf(CLAIM_TEMPLATE),
        persistentVolumeClaimRetentionPolicy: closed({ whenDeleted: KEEP_OR_DELETE, whenScaled: KEEP_OR_DELETE }),
        ordinals: closed({ start: COUNT }),
        minReadySeconds: COUNT,
        revisionHistoryLimit: COUNT,
      },
      ['selector', 'template'],
    ),
  },
);
