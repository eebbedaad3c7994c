import { optional } from './optional.ts';
import type { CustomResource } from './schemas/custom-resource.ts';
import type { Rule, Schema } from './schemas/schema.ts';

export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

/** Creates the CustomResourceDefinition of a kind, which the installer applies. */
export function customResourceDefinition(of: CustomResource): CustomResourceDefinition {
  const { group, kind, plural, shortNames, category, scope } = of;
  const names = {
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    ...optional({ shortNames }),
    categories: [category],
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, names, scope, versions: [versionOf(of)] },
  };
}

function versionOf({ version, columns, description, spec, specIsOptional, status, scale }: CustomResource): object {
  const openAPIV3Schema = {
    description,
    type: 'object',
    ...(specIsOptional ? {} : { required: ['spec'] }),
    properties: {
      apiVersion: { description: 'The API group and version of this object.', type: 'string' },
      kind: { description: 'The kind of this object.', type: 'string' },
      metadata: { type: 'object' },
      spec: structural(spec),
      status: structural(status),
    },
  };
  return {
    name: version,
    served: true,
    storage: true,
    additionalPrinterColumns: columns,
    schema: { openAPIV3Schema },
    subresources: { status: {}, ...optional({ scale }) },
  };
}

/** Converts a schema to the structural schema of the API server, without the fields that only this project uses. */
function structural(schema: Schema): object {
  const { title: _title, tsType: _tsType, allowed: _allowed, type: _type, ...kept } = schema;
  const { properties, items, additionalProperties, default: filled, ...plain } = kept;
  const rules = plain['x-kubernetes-validations'];
  return {
    ...plain,
    ...typeOf(schema),
    ...optional({ default: filled }),
    ...(properties !== undefined && { properties: mapValues(properties, structural) }),
    ...(items !== undefined && { items: structural(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: structural(additionalProperties) }),
    ...(rules !== undefined && { 'x-kubernetes-validations': rules.map(validationOf) }),
  };
}

function typeOf({ type, 'x-kubernetes-int-or-string': either }: Schema): object {
  if (either) return { anyOf: [{ type: 'integer' }, { type: 'string' }] };
  return type === undefined ? {} : { type };
}

function validationOf({ rule, message, allowed, fieldPath, each }: Rule): object {
  const text = `${message}; write ${allowed}`;
  return {
    rule: each ? `self.all(x, ${rule})` : rule,
    message: text,
    ...optional({ fieldPath }),
  };
}

function mapValues<T, R>(record: Readonly<Record<string, T>>, map: (value: T) => R): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
