const OBJECT_BYTES = 24;
const FIELD_BYTES = 8;
const TEXT_BYTES = 20;

/**
 * Estimates the memory of these values in V8 on a 64-bit machine. Shared objects count once; equal text counts each time, so
 * the estimate is too high rather than too low.
 */
export function weightOf(values: Iterable<unknown>): number {
  const seen = new Set<object>();
  const open: unknown[] = [];
  let bytes = 0;
  for (const value of values) {
    open.push(value);
    while (open.length > 0) bytes += weigh(open.pop(), open, seen);
  }
  return bytes;
}

/** The size of the value itself, without nested values. */
function weigh(value: unknown, open: unknown[], seen: Set<object>): number {
  if (typeof value === 'string') return TEXT_BYTES + value.length;
  if (typeof value !== 'object' || value === null || seen.has(value)) return 0;
  seen.add(value);
  const parts: readonly unknown[] = Object.values(value);
  open.push(...parts);
  return OBJECT_BYTES + FIELD_BYTES * parts.length;
}
