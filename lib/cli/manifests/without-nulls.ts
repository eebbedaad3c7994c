import type { Schema } from '../../apis/schemas/schema.ts';
import { fieldOf, isRecord } from './record.ts';

/**
 * The object as the API server sees it when fields are written without a value: such a field is an absent one (in a custom
 * resource its default stands for it). In a map of text or quantities it is the empty one in core kinds and in all
 * metadata, and absent in custom resources. Empty text is absent too where a schema lists it among the values.
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

/** The object's own metadata, which has a namespace, not the cut one of a NodePool's template. */
function isMetadata(name: string, schema: Schema | undefined): boolean {
  return name === 'metadata' && schema?.properties !== undefined && Object.hasOwn(schema.properties, 'namespace');
}
