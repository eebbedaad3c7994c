import { OBJECT_META_SCHEMA } from './object-meta.ts';
import { closed, enumSchema, listOf, mapOf, QUANTITY, type Schema, TEXT } from './schema.ts';

const AMOUNTS = mapOf('qualified-name', QUANTITY);

export const LIMIT_RANGE_SPEC: Schema = closed(
  {
    limits: listOf(
      closed(
        {
          type: TEXT,
          default: AMOUNTS,
          defaultRequest: AMOUNTS,
          max: AMOUNTS,
          min: AMOUNTS,
          maxLimitRequestRatio: AMOUNTS,
        },
        ['type'],
      ),
    ),
  },
  ['limits'],
);

/** It has no status. */
export const LIMIT_RANGE: Schema = closed(
  {
    apiVersion: enumSchema('v1'),
    kind: enumSchema('LimitRange'),
    metadata: OBJECT_META_SCHEMA,
    spec: LIMIT_RANGE_SPEC,
  },
  ['apiVersion', 'kind', 'metadata', 'spec'],
);
