import { OBJECT_META_SCHEMA } from './object-meta.ts';
import { COUNT_OR_PERCENT, closed, enumSchema, resource, type Schema } from './schema.ts';
import { LABEL_SELECTOR_SCHEMA } from './selectors.ts';

export const POD_DISRUPTION_BUDGET: Schema = resource(
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  {
    metadata: OBJECT_META_SCHEMA,
    spec: closed({
      selector: LABEL_SELECTOR_SCHEMA,
      minAvailable: COUNT_OR_PERCENT,
      maxUnavailable: COUNT_OR_PERCENT,
      unhealthyPodEvictionPolicy: enumSchema('IfHealthyBudget', 'AlwaysAllow'),
    }),
  },
);
