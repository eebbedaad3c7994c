import type { FormatName } from './formats.ts';

type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/** A CEL rule over `self` (and `oldSelf`, for changes), in Kubernetes's dialect. */
export interface Rule {
  readonly rule: string;
  /** What is wrong, as the end of a sentence that begins with the field. */
  readonly message: string;
  /** Completes "write …". */
  readonly allowed: string;
  /** The field at fault where it is not `self`: `.duration`. */
  readonly fieldPath?: string;
  /** The rule is over `x`, each key of a map or item of a list that `self` is, so that the one at fault can be named. */
  readonly each?: true;
  /** What text that `self` or `x` is could have been meant to be. */
  readonly known?: readonly string[];
  /** Of the rules of one value that one slip breaks, all with the same word here, the first speaks for all. */
  readonly slip?: string;
}

/**
 * The part of OpenAPI v3 that a structural schema may use, with what our own words and types need beside it. One value of
 * this kind is the source of a kind's CRD, its TypeScript type and its validation; a CRD cannot have `propertyNames`, nor
 * the formats that are names in `FORMATS`.
 */
export interface Schema {
  /** The name of its TypeScript type, where it has one of its own. */
  readonly title?: string;
  readonly description?: string;
  /** A type of ours that stands for the whole schema in TypeScript. */
  readonly tsType?: string;
  readonly type?: SchemaType | readonly SchemaType[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly format?: FormatName | 'int32' | 'int64' | 'date-time';
  /** RE2 and JavaScript must read it alike. */
  readonly pattern?: string;
  /** What the pattern means; completes "write …". */
  readonly allowed?: string;
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
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly Rule[];
}

/** Unread by us: any object or list is accepted. */
export const OBJECT: Schema = { type: 'object' };
export const LIST: Schema = { type: 'array' };

export const STRING: Schema = { type: 'string' };
export const TEXT: Schema = { type: 'string', minLength: 1 };
export const BOOLEAN: Schema = { type: 'boolean' };
export const COUNT: Schema = { type: 'integer', minimum: 0, maximum: 2_147_483_647 };
export const INTEGER: Schema = { type: 'integer' };
export const INT32: Schema = { type: 'integer', format: 'int32' };
export const INT64: Schema = { type: 'integer', format: 'int64' };
export const DATE_TIME: Schema = { type: 'string', format: 'date-time' };
export const STRINGS: Schema = { type: 'array', items: STRING };
export const STRING_MAP: Schema = { type: 'object', additionalProperties: STRING };

export const QUANTITY: Schema = { type: ['string', 'number'], format: 'quantity', minimum: 0 };
export const COUNT_OR_PERCENT: Schema = {
  type: ['integer', 'string'],
  format: 'percent',
  minimum: 0,
  'x-kubernetes-int-or-string': true,
};

/** The same with a description: what `kubectl explain` says of the field. */
export function described(description: string, schema: Schema): Schema {
  return { ...schema, description };
}

/** An object that has these fields and no other. */
export function closed(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

export function listOf(items: Schema, limits: Pick<Schema, 'minItems' | 'maxItems' | 'uniqueItems'> = {}): Schema {
  return { type: 'array', items, ...limits };
}

/** A list that is replaced as a whole. */
export function atomicListOf(items: Schema, limits: Pick<Schema, 'minItems' | 'maxItems'> = {}): Schema {
  return { ...listOf(items, limits), 'x-kubernetes-list-type': 'atomic' };
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

/** Text of a pattern; `allowed` says in words what it accepts. */
export function matching(pattern: string, allowed: string): Schema {
  return { type: 'string', pattern, allowed };
}

export function withRules(schema: Schema, ...rules: readonly Rule[]): Schema {
  return { ...schema, 'x-kubernetes-validations': rules };
}

/** A whole object of the API. What the server reports in `status` is not ours to check. */
export function resource(
  head: { readonly apiVersion: string; readonly kind: string },
  parts: { readonly metadata: Schema; readonly spec: Schema },
): Schema {
  return closed({ apiVersion: oneOf(head.apiVersion), kind: oneOf(head.kind), ...parts, status: {} }, [
    'apiVersion',
    'kind',
    'metadata',
    'spec',
  ]);
}
