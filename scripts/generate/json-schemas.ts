import { CUSTOM_RESOURCES } from '../../lib/apis/custom-resources.ts';
import { optional } from '../../lib/apis/optional.ts';
import type { CustomResource } from '../../lib/apis/schemas/custom-resource.ts';
import { FORMATS, isFormatName } from '../../lib/apis/schemas/formats.ts';
import { SCENARIO } from '../../lib/apis/schemas/scenario.ts';
import type { Schema } from '../../lib/apis/schemas/schema.ts';

const DRAFT = 'http://json-schema.org/draft-07/schema#';

/**
 * JSON schemas for editors: one for each kind, named as other tools name those of custom resources, and one for files with several
 * kinds. Rules over several fields are not in them: `kerf validate` has these.
 */
export function jsonSchemaFiles(): ReadonlyMap<string, string> {
  const kinds = [...CUSTOM_RESOURCES.map(ofResource), ofScenario()];
  const all = {
    $schema: DRAFT,
    title: 'The kinds of Karpenter and Kerf',
    allOf: kinds.map(({ apiVersion, kind, file }) => {
      const properties = { apiVersion: { const: apiVersion }, kind: { const: kind } };
      return { if: { not: { required: ['apiVersion', 'kind'], properties } }, else: { $ref: file } };
    }),
  };
  return new Map([
    ...kinds.map(({ file, schema }) => [`data/schemas/${file}`, textOf(schema)] as const),
    ['data/schemas/all.json', textOf(all)],
  ]);
}

interface KindSchema {
  readonly apiVersion: string;
  readonly kind: string;
  readonly file: string;
  readonly schema: object;
}

function ofResource({ group, version, kind, description, spec, specIsOptional, status }: CustomResource): KindSchema {
  const apiVersion = `${group}/${version}`;
  const properties = {
    apiVersion: { const: apiVersion },
    kind: { const: kind },
    metadata: { type: 'object' },
    spec: editorSchema(spec),
    status: editorSchema(status),
  };
  const required = ['apiVersion', 'kind', 'metadata', ...(specIsOptional === true ? [] : ['spec'])];
  return kindSchema(apiVersion, kind, { description, properties, required });
}

function ofScenario(): KindSchema {
  const { description = '', properties: { spec = {} } = {} } = SCENARIO;
  const [apiVersion, kind] = ['kerf.dev/v1alpha1', 'Scenario'];
  const properties = {
    apiVersion: { const: apiVersion },
    kind: { const: kind },
    metadata: { type: 'object' },
    spec: editorSchema(spec),
  };
  return kindSchema(apiVersion, kind, { description, properties, required: ['apiVersion', 'kind', 'spec'] });
}

function kindSchema(apiVersion: string, kind: string, object: object): KindSchema {
  const [group = '', version = ''] = apiVersion.split('/');
  return {
    apiVersion,
    kind,
    file: `${group}/${kind.toLowerCase()}_${version}.json`,
    schema: { $schema: DRAFT, title: kind, type: 'object', ...object, additionalProperties: false },
  };
}

/** The schema as editors read it: without the fields of this project and of Kubernetes, and closed where its fields are known. */
function editorSchema(schema: Schema): object {
  const { title: _title, tsType: _tsType, allowed: _allowed, format, propertyNames, ...kept } = schema;
  const { properties, items, additionalProperties, ...others } = kept;
  const plain = Object.entries(others).filter(([name]) => !name.startsWith('x-kubernetes-'));
  const known = properties !== undefined && schema['x-kubernetes-preserve-unknown-fields'] !== true;
  return {
    ...Object.fromEntries(plain),
    ...formatOf(format),
    ...(properties !== undefined && { properties: mapValues(properties, editorSchema) }),
    ...(items !== undefined && { items: editorSchema(items) }),
    ...(propertyNames !== undefined && { propertyNames: editorSchema(propertyNames) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: editorSchema(additionalProperties) }
      : optional({ additionalProperties: known ? false : additionalProperties })),
  };
}

/** Formats of this project are patterns, where they have one. A pattern applies to text only. */
function formatOf(format: Schema['format']): object {
  if (format === undefined) return {};
  if (!isFormatName(format)) return format === 'date-time' ? { format } : {};
  const { pattern, maxLength } = FORMATS[format];
  return optional({ pattern, maxLength });
}

function textOf(schema: object): string {
  return `${JSON.stringify(schema, null, 1)}\n`;
}

function mapValues<T, R>(record: Readonly<Record<string, T>>, map: (value: T) => R): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
