import {
  BOOLEAN,
  COUNT,
  closed,
  DATE_TIME,
  INTEGER,
  LIST,
  listOf,
  mapOf,
  type Schema,
  STRING,
  TEXT,
  textSchema,
} from './schema.ts';

export const LABELS: Schema = mapOf('qualified-name', textSchema('label-value'));
const ANNOTATIONS: Schema = mapOf('annotation-key', STRING);

const FIELDS: Readonly<Record<string, Schema>> = {
  name: textSchema('dns-subdomain'),
  generateName: textSchema('generate-name'),
  namespace: textSchema('dns-label'),
  labels: LABELS,
  annotations: ANNOTATIONS,
  uid: STRING,
  resourceVersion: STRING,
  generation: INTEGER,
  selfLink: STRING,
  creationTimestamp: DATE_TIME,
  deletionTimestamp: DATE_TIME,
  deletionGracePeriodSeconds: COUNT,
  finalizers: listOf(textSchema('qualified-name')),
  managedFields: LIST,
  ownerReferences: listOf(
    closed(
      { apiVersion: TEXT, kind: TEXT, name: TEXT, uid: STRING, controller: BOOLEAN, blockOwnerDeletion: BOOLEAN },
      ['apiVersion', 'kind', 'name', 'uid'],
    ),
  ),
};

/** The metadata of an object, including the fields that only the server sets. */
export const OBJECT_META_SCHEMA: Schema = closed(FIELDS, ['name']);

/** The metadata of a pod template, where the name is optional. */
export const TEMPLATE_META: Schema = closed(FIELDS);
