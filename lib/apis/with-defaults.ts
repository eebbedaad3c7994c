import type { Schema } from './schemas/schema.ts';

/**
 * The value with what the API server fills in (A1.8 to A1.19, A3.23): where a field is missing its schema's default, and
 * the defaults inside that. *Cost:* O(size of value and schema); what needs no default is not copied.
 */
export function withDefaults(value: unknown, schema: Schema): unknown {
  const { items, properties = {}, additionalProperties } = schema;
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => withDefaults(item, items));
  if (typeof value !== 'object' || value === null) return value;
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const given = Object.entries(value).map(([name, field]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : values;
    return [name, known === undefined ? field : withDefaults(field, known)] as const;
  });
  const missing = Object.entries(properties).flatMap(([name, field]) =>
    field.default === undefined || Object.hasOwn(value, name)
      ? []
      : [[name, withDefaults(field.default, field)] as const],
  );
  return Object.fromEntries([...given, ...missing]);
}
