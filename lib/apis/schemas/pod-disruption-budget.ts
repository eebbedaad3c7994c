import { OBJECT_META } from './object-meta.ts';
import { COUNT_OR_PERCENT, closed, oneOf, resource, type Schema } from './schema.ts';
import { LABEL_SELECTOR } from './selectors.ts';

export const POD_DISRUPTION_BUDGET: Schema = resource(
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  {
    metadata: OBJECT_META,
    spec: closed({
      selector: LABEL_SELECTOR,
      minAvailable: COUNT_OR_PERCENT,
      maxUnavailable: COUNT_OR_PERCENT,
      unhealthyPodEvictionPolicy: oneOf('IfHealthyBudget', 'AlwaysAllow'),
    }),
  },
);
