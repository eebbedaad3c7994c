import { compareText } from './compare-text.ts';
/**
 * The JSON of plain data, the same text for the same content: keys in order of their names, fields that are undefined left
 * out. The API server gives objects back with their keys in another order. *Cost:* O(size log size).
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (isMap(part) ? Object.fromEntries(sorted(part)) : part)) ?? '';
}

/** Whether two pieces of plain data have the same content. */
export function sameContent(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** The data with its lists sorted: the order of a set is no difference. */
export function withoutOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => canonicalJson(withoutOrder(item))).toSorted();
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]: [string, unknown]) => [key, withoutOrder(part)]));
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(map: object): readonly (readonly [string, unknown])[] {
  return Object.entries(map).toSorted(([a], [b]) => compareText(a, b));
}
