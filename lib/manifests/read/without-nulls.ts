import { fieldOf, isRecord } from '../../apis/record.ts';
import type { Schema } from '../../apis/schemas/schema.ts';

/**
 * Removes fields with a null value, as the API server does. A null field counts as absent; in a custom resource it gets its
 * default. In a map of text or quantities, null is the empty value in core kinds and in all metadata, and absent in custom
 * resources. Empty text also counts as absent where it is a value of the schema's enum.
 */
export function withoutNulls(value: unknown, schema: Schema | undefined, custom: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, schema?.items, custom));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const known = fieldOf(schema?.properties ?? {}, name);
      const values = typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
      if (field === '' && known?.enum?.includes('') === true) return [];
      if (field === null) return withoutValue(name, { known, values, custom });
      return [[name, withoutNulls(field, known ?? values, custom && !isMetadata(name, known))] as const];
    }),
  );
}

interface Slot {
  readonly known: Schema | undefined;
  readonly values: Schema | undefined;
  readonly custom: boolean;
}

function withoutValue(name: string, { known, values, custom }: Slot): readonly (readonly [string, unknown])[] {
  if (known !== undefined || (custom && values !== undefined)) return [];
  if (values !== undefined) return [[name, values.format === 'quantity' ? '0' : '']];
  return [[name, null]];
}

/** The object's own metadata, which has a namespace, not the reduced metadata of a NodePool's template. */
function isMetadata(name: string, schema: Schema | undefined): boolean {
  return name === 'metadata' && schema?.properties !== undefined && Object.hasOwn(schema.properties, 'namespace');
}
