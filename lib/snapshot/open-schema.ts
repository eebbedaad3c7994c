import type { CustomResource } from '../apis/schemas/custom-resource.ts';
import {
  BOOLEAN,
  DATE_TIME,
  enumSchema,
  listOf,
  QUANTITY,
  type Schema,
  STRING,
  STRING_MAP,
  STRINGS,
  TEXT,
} from '../apis/schemas/schema.ts';

/** Schemas of what is read from a cluster: only what a decision looks at has to have the right form. */

/** An object with these fields, and others that nobody looks at. */
export function open(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, required };
}

const METADATA_FIELDS: Readonly<Record<string, Schema>> = {
  name: TEXT,
  namespace: STRING,
  uid: STRING,
  labels: STRING_MAP,
  annotations: STRING_MAP,
  finalizers: STRINGS,
  creationTimestamp: DATE_TIME,
  deletionTimestamp: DATE_TIME,
  ownerReferences: listOf(open({ kind: STRING, name: STRING, uid: STRING, controller: BOOLEAN }, ['kind', 'name'])),
};

export const METADATA: Schema = open(METADATA_FIELDS, ['name']);

/** Of a template, which need not be named. */
export function optionalMetadata(): Schema {
  return open(METADATA_FIELDS);
}

export const RESOURCE_LIST: Schema = { type: 'object', additionalProperties: QUANTITY };

/** What is left of a capacity may be less than nothing. */
export const SIGNED_RESOURCE_LIST: Schema = {
  type: 'object',
  additionalProperties: {
    type: ['string', 'number'],
    pattern: '^-?[0-9]+(\\.[0-9]+)?(m|Ki|[kMGTPE]i?)?$',
    allowed: 'a quantity, as 1500m or 2Gi',
  },
};

export const CONDITION_LIST: Schema = listOf(
  open(
    {
      type: STRING,
      status: enumSchema('True', 'False', 'Unknown'),
      reason: STRING,
      message: STRING,
      lastTransitionTime: DATE_TIME,
    },
    ['type', 'status'],
  ),
);

const SELECTOR_REQUIREMENT: Schema = open(
  {
    key: STRING,
    operator: enumSchema('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'),
    values: STRINGS,
  },
  ['key', 'operator'],
);

export const SNAPSHOT_NODE_SELECTOR_TERM: Schema = open({
  matchExpressions: listOf(SELECTOR_REQUIREMENT),
  matchFields: listOf(SELECTOR_REQUIREMENT),
});

/** A whole object of one of our kinds; what the API server fills in is filled in, head and all. */
export function openResource({ group, version, kind, spec, specIsOptional }: CustomResource, status: Schema): Schema {
  const form = loosened(spec);
  return open(
    {
      apiVersion: { ...enumSchema(`${group}/${version}`), default: `${group}/${version}` },
      kind: { ...enumSchema(kind), default: kind },
      metadata: METADATA,
      spec: specIsOptional === true ? { ...form, default: {} } : form,
      status,
    },
    ['metadata', 'spec'],
  );
}

/**
 * The schema of a manifest for what a cluster has: the API server has let it in, in whatever version it was, so that only
 * the form counts. A list that must be there and is cut off is empty.
 */
function loosened({ properties, items, additionalProperties, required = [], ...schema }: Schema): Schema {
  const { type, enum: values, pattern, allowed, format, minimum, maximum } = schema;
  const kept = { type, enum: values, pattern, allowed, format, minimum, maximum, default: schema.default };
  return {
    ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => {
          const form = loosened(field);
          const mayBeCut = required.includes(name) && field.type === 'array' && field.default === undefined;
          return [name, mayBeCut ? { ...form, default: [] } : form];
        }),
      ),
    }),
    ...(items !== undefined && { items: loosened(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: loosened(additionalProperties) }),
    required,
  };
}
