import type { FormatName } from './formats.ts';

type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/** A CEL validation rule of Kubernetes over `self`, and `oldSelf` in transition rules. */
export interface Rule {
  readonly rule: string;
  /** What is wrong. The text continues a sentence that begins with the field. */
  readonly message: string;
  /** Completes "write …". */
  readonly allowed: string;
  /** The invalid field where it is not `self`: `.duration`. */
  readonly fieldPath?: string;
  /** The rule applies to each `x`, which is a key of the map or an item of the list `self`, so the invalid one can be reported. */
  readonly each?: true;
  /** The known values of `self` or `x`, for suggestions. */
  readonly known?: readonly string[];
  /** Rules of one value with the same word here fail for the same mistake. Only the first one is reported. */
  readonly slip?: string;
}

/**
 * The part of OpenAPI v3 that a structural schema may use, with additional fields for messages and TypeScript types. The
 * CRD, the TypeScript type and the validation of a kind are generated from one schema. The schema of a CRD cannot have
 * `propertyNames` or the formats in `FORMATS`.
 */
export interface Schema {
  /** The name of its TypeScript type, where it has a separate one. */
  readonly title?: string;
  readonly description?: string;
  /** An existing TypeScript type for the whole schema. */
  readonly tsType?: string;
  readonly type?: SchemaType | readonly SchemaType[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly format?: FormatName | 'int32' | 'int64' | 'date-time' | 'status-time';
  /** Must have the same meaning in RE2 and JavaScript. */
  readonly pattern?: string;
  /** Describes the pattern; completes "write …". */
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

/** For fields that are not used: any object or list is accepted. */
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

/** Adds the description that `kubectl explain` shows. */
export function described(description: string, schema: Schema): Schema {
  return { ...schema, description };
}

/** An object with only these fields. */
export function closed(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

export function listOf(items: Schema, limits: Pick<Schema, 'minItems' | 'maxItems' | 'uniqueItems'> = {}): Schema {
  return { type: 'array', items, ...limits };
}

/** A list that server-side apply replaces as a whole. */
export function atomicListOf(items: Schema, limits: Pick<Schema, 'minItems' | 'maxItems'> = {}): Schema {
  return { ...listOf(items, limits), 'x-kubernetes-list-type': 'atomic' };
}

export function mapOf(keys: FormatName, values: Schema): Schema {
  return { type: 'object', propertyNames: { type: 'string', format: keys }, additionalProperties: values };
}

export function enumSchema(...values: readonly string[]): Schema {
  return { type: 'string', enum: values };
}

export function textSchema(format: FormatName): Schema {
  return { type: 'string', format };
}

/** Text that matches a pattern; `allowed` describes it. */
export function patternSchema(pattern: string, allowed: string): Schema {
  return { type: 'string', pattern, allowed };
}

export function withRules(schema: Schema, ...rules: readonly Rule[]): Schema {
  return { ...schema, 'x-kubernetes-validations': rules };
}

/** A whole API object. The status is not checked. */
export function resource(
  head: { readonly apiVersion: string; readonly kind: string },
  parts: { readonly metadata: Schema; readonly spec: Schema },
): Schema {
  return closed({ apiVersion: enumSchema(head.apiVersion), kind: enumSchema(head.kind), ...parts, status: {} }, [
    'apiVersion',
    'kind',
    'metadata',
    'spec',
  ]);
}
