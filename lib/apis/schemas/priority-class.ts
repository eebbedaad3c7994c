import { OBJECT_META_SCHEMA } from './object-meta.ts';
import { BOOLEAN, closed, enumSchema, INT32, type Schema, STRING } from './schema.ts';

/** It has no spec and no status. */
export const PRIORITY_CLASS: Schema = closed(
  {
    apiVersion: enumSchema('scheduling.k8s.io/v1'),
    kind: enumSchema('PriorityClass'),
    metadata: OBJECT_META_SCHEMA,
    value: INT32,
    globalDefault: BOOLEAN,
    description: STRING,
    preemptionPolicy: enumSchema('PreemptLowerPriority', 'Never'),
  },
  ['apiVersion', 'kind', 'metadata'],
);
