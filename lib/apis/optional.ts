/** The fields of `T` that are present, without `undefined`. */
type Present<T> = { readonly [Field in keyof T]?: Exclude<T[Field], undefined> };

/** Returns the fields whose values are not `undefined`, for a spread: `{ name, ...optional({ zone, nodePool }) }`. */
export function optional<T extends object>(fields: T): Present<T>;
export function optional(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
