/**
 * What a run knows of something that it tried to read. An unread list is never an empty list: whatever depends on it waits, and
 * everything else goes on.
 */
export type Observed<Value> = Read<Value> | Unread;

export interface Read<Value> {
  readonly kind: 'read';
  readonly value: Value;
}

export interface Unread {
  readonly kind: 'unread';
  readonly failure: Error;
}

export function read<Value>(value: Value): Read<Value> {
  return { kind: 'read', value };
}

/** The value, or `other` if it could not be read. Only for values that decide nothing. */
export function readOr<Value, Other>(observed: Observed<Value>, other: Other): Value | Other {
  return observed.kind === 'read' ? observed.value : other;
}

/** Derives a value from what was read. What could not be read stays unread. */
export function mapRead<Value, Derived>(
  observed: Observed<Value>,
  derive: (value: Value) => Derived,
): Observed<Derived> {
  return observed.kind === 'read' ? read(derive(observed.value)) : observed;
}

/** What could not be read, and why. */
export function whyNotRead(what: string, { failure }: Unread): string {
  return `${what} could not be read: ${failure.message}`;
}
