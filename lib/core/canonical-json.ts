import { fieldOf, isRecord } from '../apis/record.ts';
import { compareText } from './compare-text.ts';
/**
 * The JSON of plain data with sorted keys and without undefined fields, so that equal content gives equal text. The API
 * server returns objects with their keys in another order. *Cost:* O(size log size).
 */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) => (isRecord(part) ? Object.fromEntries(sorted(part)) : part)) ?? ''
  );
}

/** Whether two pieces of plain data have the same content: the same `canonicalJson`. *Cost:* O(size). */
export function sameContent(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    const others: readonly unknown[] = b;
    return a.length === others.length && a.every((one, at) => sameContent(one, others[at]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  return (
    Object.entries(a).every(([key, value]) => sameContent(value, fieldOf(b, key))) &&
    Object.entries(b).every(([key, value]) => value === undefined || Object.hasOwn(a, key))
  );
}

/** The data with its lists sorted, for a comparison that ignores the order of lists. */
export function withoutOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => canonicalJson(withoutOrder(item))).toSorted();
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]: [string, unknown]) => [key, withoutOrder(part)]));
}

function sorted(map: object): readonly (readonly [string, unknown])[] {
  return Object.entries(map).toSorted(([a], [b]) => compareText(a, b));
}
