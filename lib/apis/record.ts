export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Whether it is a JSON object: no list, and not null. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value where it is an object, else an empty one. */
export function recordOf(value: unknown): UnknownRecord {
  return isRecord(value) ? value : {};
}

/** An own field: `constructor` and `__proto__` are treated like any other name. */
export function fieldOf<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The field of an unknown value; undefined if the value is not an object. */
export function ownField(value: unknown, name: string): unknown {
  return isRecord(value) ? fieldOf(value, name) : undefined;
}

export function textField(value: unknown, name: string): string | undefined {
  const field = ownField(value, name);
  return typeof field === 'string' ? field : undefined;
}
