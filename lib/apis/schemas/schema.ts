import type { FormatName } from './formats.ts';

type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/** The part of OpenAPI v3 that a structural schema may use, plus `propertyNames`, which a CRD has to write as a rule. */
export interface Schema {
  readonly type?: SchemaType | readonly SchemaType[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  /** A name in `FORMATS`, which holds its pattern and the words for it. */
  readonly format?: FormatName;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly uniqueItems?: boolean;
  readonly default?: unknown;
  readonly 'x-kubernetes-int-or-string'?: true;
}

/** Unread by us: any object or list is accepted. */
export const OBJECT: Schema = { type: 'object' };
export const LIST: Schema = { type: 'array' };

export const STRING: Schema = { type: 'string' };
export const TEXT: Schema = { type: 'string', minLength: 1 };
export const BOOLEAN: Schema = { type: 'boolean' };
export const COUNT: Schema = { type: 'integer', minimum: 0, maximum: 2_147_483_647 };
export const INTEGER: Schema = { type: 'integer' };
export const STRINGS: Schema = { type: 'array', items: STRING };

export const QUANTITY: Schema = { type: ['string', 'number'], format: 'quantity', minimum: 0 };
export const COUNT_OR_PERCENT: Schema = {
  type: ['integer', 'string'],
  format: 'percent',
  minimum: 0,
  'x-kubernetes-int-or-string': true,
};

/** An object that has these fields and no other. */
export function closed(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

export function listOf(items: Schema, limits: Pick<Schema, 'minItems' | 'maxItems' | 'uniqueItems'> = {}): Schema {
  return { type: 'array', items, ...limits };
}

export function mapOf(keys: FormatName, values: Schema): Schema {
  return { type: 'object', propertyNames: { type: 'string', format: keys }, additionalProperties: values };
}

export function oneOf(...values: readonly string[]): Schema {
  return { type: 'string', enum: values };
}

export function text(format: FormatName): Schema {
  return { type: 'string', format };
}

/** A whole object of the API. What the server reports in `status` is not ours to check. */
export function resource(
  head: { readonly apiVersion: string; readonly kind: string },
  parts: { metadata: Schema; spec: Schema },
): Schema {
  return closed({ apiVersion: oneOf(head.apiVersion), kind: oneOf(head.kind), ...parts, status: {} }, [
    'apiVersion',
    'kind',
    'metadata',
    'spec',
  ]);
}
