export type UnknownRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own field: `constructor` and `__proto__` are treated like any other name. */
export function fieldOf<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

export function textField(value: unknown, name: string): string | undefined {
  const field = isRecord(value) ? fieldOf(value, name) : undefined;
  return typeof field === 'string' ? field : undefined;
}
