import { OBJECT_META_SCHEMA } from './object-meta.ts';
import { closed, enumSchema, listOf, type Schema, textSchema } from './schema.ts';

/** Its name is a DNS label, and so without dots. */
const METADATA: Schema = {
  ...OBJECT_META_SCHEMA,
  properties: { ...OBJECT_META_SCHEMA.properties, name: textSchema('dns-label') },
};

export const NAMESPACE: Schema = closed(
  {
    apiVersion: enumSchema('v1'),
    kind: enumSchema('Namespace'),
    metadata: METADATA,
    spec: closed({ finalizers: listOf(textSchema('qualified-name')) }),
  },
  ['apiVersion', 'kind', 'metadata'],
);
