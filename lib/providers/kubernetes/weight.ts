const OBJECT_BYTES = 24;
const FIELD_BYTES = 8;
const TEXT_BYTES = 20;

/**
 * About how much memory these values take, as V8 lays them out on a 64-bit machine. What several of them share counts once;
 * equal texts count each time, so that it is rather too much.
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

/** The value itself; what it holds is left open. */
function weigh(value: unknown, open: unknown[], seen: Set<object>): number {
  if (typeof value === 'string') return TEXT_BYTES + value.length;
  if (typeof value !== 'object' || value === null || seen.has(value)) return 0;
  seen.add(value);
  const parts: readonly unknown[] = Object.values(value);
  open.push(...parts);
  return OBJECT_BYTES + FIELD_BYTES * parts.length;
}
