import { OBJECT_META_SCHEMA } from './object-meta.ts';
import { COUNT, closed, enumSchema, listOf, OBJECT, QUANTITY, type Schema, STRING, TEXT } from './schema.ts';

const POSITIVE: Schema = { type: 'integer', minimum: 1, maximum: 2_147_483_647 };

const TARGET: Schema = closed(
  {
    type: enumSchema('Utilization', 'AverageValue', 'Value'),
    averageUtilization: POSITIVE,
    averageValue: QUANTITY,
    value: QUANTITY,
  },
  ['type'],
);

const METRIC: Schema = closed(
  {
    type: enumSchema('Resource', 'ContainerResource', 'Pods', 'Object', 'External'),
    resource: closed({ name: TEXT, target: TARGET }, ['name', 'target']),
    containerResource: closed({ name: TEXT, container: TEXT, target: TARGET }, ['name', 'container', 'target']),
    pods: OBJECT,
    object: OBJECT,
    external: OBJECT,
  },
  ['type'],
);

const RULES: Schema = closed({
  stabilizationWindowSeconds: { type: 'integer', minimum: 0, maximum: 3600 },
  selectPolicy: enumSchema('Max', 'Min', 'Disabled'),
  tolerance: QUANTITY,
  policies: listOf(
    closed(
      {
        type: enumSchema('Pods', 'Percent'),
        value: POSITIVE,
        periodSeconds: { type: 'integer', minimum: 1, maximum: 1800 },
      },
      ['type', 'value', 'periodSeconds'],
    ),
  ),
});

/** The fields of autoscaling/v2, and the one of v1 that v2 does not have. */
export const HORIZONTAL_POD_AUTOSCALER: Schema = closed(
  {
    apiVersion: enumSchema('autoscaling/v2', 'autoscaling/v1'),
    kind: enumSchema('HorizontalPodAutoscaler'),
    metadata: OBJECT_META_SCHEMA,
    spec: closed(
      {
        scaleTargetRef: closed({ apiVersion: STRING, kind: TEXT, name: TEXT }, ['kind', 'name']),
        minReplicas: COUNT,
        maxReplicas: POSITIVE,
        metrics: listOf(METRIC),
        behavior: closed({ scaleUp: RULES, scaleDown: RULES }),
        targetCPUUtilizationPercentage: POSITIVE,
      },
      ['scaleTargetRef', 'maxReplicas'],
    ),
    status: {},
  },
  ['apiVersion', 'kind', 'metadata', 'spec'],
);
