import type { Schema } from '../schemas/schema.ts';

/**
 * Fills in defaults as the API server does (A1.8 to A1.19, A3.23): a missing field gets the default of its schema, with the
 * defaults inside it. *Cost:* O(size of value and schema); parts without defaults are not copied.
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
