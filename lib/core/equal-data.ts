/**
 * Whether two values of plain data are equal. *Shape:* a field that is undefined equals a missing one. Objects that are not plain
 * data, such as a Map, are equal only if they are the same object. *Cost:* O(size), and nothing for parts that are the same object.
 */
export function equalData(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => equalData(item, other[index]));
  if (!isPlain(one) || !isPlain(other)) return false;
  for (const field in one) if (!equalData(one[field], other[field])) return false;
  for (const field in other) if (other[field] !== undefined && one[field] === undefined) return false;
  return true;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
