import { OBJECT_META_SCHEMA, TEMPLATE_META } from './object-meta.ts';
import { POD_SPEC } from './pod-spec.ts';
import { BOOLEAN, COUNT, COUNT_OR_PERCENT, closed, enumSchema, resource, type Schema } from './schema.ts';
import { LABEL_SELECTOR_SCHEMA } from './selectors.ts';

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
