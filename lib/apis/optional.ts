/** The fields of `T` that are present, without `undefined`. */
type Present<T> = { readonly [Field in keyof T]?: Exclude<T[Field], undefined> };

/** Returns the fields whose values are not `undefined`, for a spread: `{ name, ...optional({ zone, nodePool }) }`. */
export function optional<T extends object>(fields: T): Present<T>;
export function optional(fields: Readonly<Record<string, unknown>>): object {
  const present: Record<string, unknown> = {};
  for (const name in fields) if (fields[name] !== undefined) present[name] = fields[name];
  return present;
}
