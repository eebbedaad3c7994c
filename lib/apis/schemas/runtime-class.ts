import { LABELS, OBJECT_META_SCHEMA } from './object-meta.ts';
import { TOLERATION } from './pod-spec.ts';
import { closed, enumSchema, listOf, mapOf, QUANTITY, type Schema, textSchema } from './schema.ts';

/** It has no spec and no status. */
export const RUNTIME_CLASS: Schema = closed(
  {
    apiVersion: enumSchema('node.k8s.io/v1'),
    kind: enumSchema('RuntimeClass'),
    metadata: OBJECT_META_SCHEMA,
    handler: textSchema('dns-label'),
    overhead: closed({ podFixed: mapOf('qualified-name', QUANTITY) }),
    scheduling: closed({ nodeSelector: LABELS, tolerations: listOf(TOLERATION) }),
  },
  ['apiVersion', 'kind', 'metadata', 'handler'],
);
