import { REQUIREMENT_OPERATORS } from '../apis/kubernetes.ts';
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

/** Schemas of objects from a cluster: only fields that decisions read are validated. */

/** An object with these fields; other fields are ignored. */
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

/** The metadata of a template, which may have no name. */
export function optionalMetadata(): Schema {
  return open(METADATA_FIELDS);
}

export const RESOURCE_LIST: Schema = { type: 'object', additionalProperties: QUANTITY };

/** Resources that may be negative: the rest of a capacity. */
export const SIGNED_RESOURCE_LIST: Schema = {
  type: 'object',
  additionalProperties: {
    type: ['string', 'number'],
    pattern: '^-?[0-9]+(\\.[0-9]+)?(m|Ki|[kMGTPE]i?)?$',
    allowed: 'a quantity such as 1500m or 2Gi',
  },
};

/** A time in a status, which the API server also has with years that RFC 3339 cannot write. These count as no time. */
export const STATUS_TIME: Schema = { type: 'string', format: 'status-time' };

/** The API server accepts any text as the status of a condition. */
export const CONDITION_LIST: Schema = listOf(
  open(
    {
      type: STRING,
      status: STRING,
      reason: STRING,
      message: STRING,
      lastTransitionTime: STATUS_TIME,
    },
    ['type', 'status'],
  ),
);

const SELECTOR_REQUIREMENT: Schema = open(
  {
    key: STRING,
    operator: enumSchema(...REQUIREMENT_OPERATORS),
    values: STRINGS,
  },
  ['key', 'operator'],
);

export const SNAPSHOT_NODE_SELECTOR_TERM: Schema = open({
  matchExpressions: listOf(SELECTOR_REQUIREMENT),
  matchFields: listOf(SELECTOR_REQUIREMENT),
});

/** A complete object of one of Kerf's kinds, with the defaults of the API server, including apiVersion and kind. */
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
 * The schema of a manifest for an object of a cluster. The API server has accepted the object, so only types are validated, not
 * rules. A required list that is missing is empty.
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
