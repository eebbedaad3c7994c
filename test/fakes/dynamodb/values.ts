import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { invalid } from './errors.ts';
import { canonicalNumber, compareNumbers } from './numbers.ts';

/** An item as it is stored: checked, numbers in their canonical text. It is never changed, only replaced. */
export type StoredItem = Readonly<Record<string, AttributeValue>>;

export const TYPES = ['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M'] as const;
export type ValueType = (typeof TYPES)[number];

/** *Source:* Quotas: 400 KB with names; 32 levels. */
export const MAX_ITEM_BYTES = 400 * 1024;
const MAX_DEPTH = 32;

export function typeOf(value: AttributeValue): ValueType {
  let found: ValueType | undefined;
  // Without a list of the types, because every value of every call passes here.
  for (const type of TYPES) {
    if (!(type in value)) continue;
    if (found !== undefined) throw noType();
    found = type;
  }
  if (found === undefined) throw noType();
  return found;
}

function noType(): Error {
  return invalid('Supplied AttributeValue must contain exactly one of the supported datatypes');
}

/** A checked copy of an item that the caller sends. */
export function storedItem(item: Readonly<Record<string, AttributeValue>>): StoredItem {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, storedValue(value)]));
}

export function storedValue(value: AttributeValue, depth = 0): AttributeValue {
  if (depth >= MAX_DEPTH) throw invalid(`Nesting Levels have exceeded supported limits: ${MAX_DEPTH}`);
  if (typeOf(value) === 'S') return value;
  if (value.N !== undefined) return { N: canonicalNumber(value.N) };
  if (value.B !== undefined) return { B: Uint8Array.from(value.B) };
  if (value.SS !== undefined) return { SS: distinct(value.SS, (text) => text) };
  if (value.NS !== undefined) return { NS: distinct(value.NS.map(canonicalNumber), (text) => text) };
  if (value.BS !== undefined) {
    const copies = value.BS.map((bytes) => Uint8Array.from(bytes));
    return { BS: distinct(copies, (bytes) => Buffer.from(bytes).toString('base64')) };
  }
  if (value.L !== undefined) return { L: value.L.map((one) => storedValue(one, depth + 1)) };
  if (value.M === undefined) return value;
  return {
    M: Object.fromEntries(Object.entries(value.M).map(([name, one]) => [name, storedValue(one, depth + 1)])),
  };
}

function distinct<T>(elements: readonly T[], keyOf: (element: T) => string): T[] {
  if (elements.length === 0) throw invalid('One or more parameter values were invalid: An set may not be empty');
  if (new Set(elements.map(keyOf)).size < elements.length) {
    throw invalid('One or more parameter values were invalid: Input collection contains duplicates');
  }
  return [...elements];
}

/** The elements of a set as texts, or undefined for other types. */
export function elementsOf(value: AttributeValue): readonly string[] | undefined {
  return value.SS ?? value.NS ?? value.BS?.map((bytes) => Buffer.from(bytes).toString('base64'));
}

export function areEqual(a: AttributeValue, b: AttributeValue): boolean {
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  const elements = elementsOf(a);
  if (elements !== undefined) return elements.toSorted().join('\n') === elementsOf(b)?.toSorted().join('\n');
  if (a.L !== undefined) {
    return a.L.length === b.L?.length && a.L.every((one, at) => areEqual(one, b.L?.[at] ?? { NULL: true }));
  }
  if (a.M !== undefined) return areEqualMaps(a.M, b.M ?? {});
  if (a.BOOL !== undefined) return a.BOOL === b.BOOL;
  return a.NULL !== undefined || compareValues(a, b) === 0;
}

function areEqualMaps(a: Record<string, AttributeValue>, b: Record<string, AttributeValue>): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const [left, right] = [a[name], b[name]];
      return left !== undefined && right !== undefined && areEqual(left, right);
    })
  );
}

/** *Shape:* undefined for values of different types, and of types without an order. */
export function compareValues(a: AttributeValue, b: AttributeValue): number | undefined {
  if (a.S !== undefined && b.S !== undefined) return compareUtf8(a.S, b.S);
  if (a.N !== undefined && b.N !== undefined) return compareNumbers(a.N, b.N);
  if (a.B !== undefined && b.B !== undefined) return Buffer.compare(a.B, b.B);
  return undefined;
}

const FIRST_SURROGATE = 0xd8_00;

/** By the bytes of UTF-8: characters outside the basic plane come last, unlike in the order of code units. */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left === right) continue;
    if (left < FIRST_SURROGATE || right < FIRST_SURROGATE) return left - right;
    return (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0);
  }
  return a.length - b.length;
}

/** *Source:* DynamoDB item sizes and formats. */
export function itemBytes(item: StoredItem): number {
  let bytes = 0;
  for (const name in item) {
    const value = item[name];
    if (value !== undefined) bytes += Buffer.byteLength(name) + valueBytes(value);
  }
  return bytes;
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.B !== undefined) return value.B.byteLength;
  if (value.SS !== undefined) return sum(value.SS.map((text) => Buffer.byteLength(text)));
  if (value.NS !== undefined) return sum(value.NS.map(numberBytes));
  if (value.BS !== undefined) return sum(value.BS.map((bytes) => bytes.byteLength));
  if (value.L !== undefined) return 3 + sum(value.L.map((one) => 1 + valueBytes(one)));
  if (value.M !== undefined) {
    return 3 + sum(Object.entries(value.M).map(([name, one]) => 1 + Buffer.byteLength(name) + valueBytes(one)));
  }
  return 1;
}

/** One byte for two significant digits, one for the exponent, one for the sign of a negative number. */
function numberBytes(text: string): number {
  const digits = text
    .replace(/^-?[0.]*/, '')
    .replace('.', '')
    .replace(/0+$/, '');
  return Math.ceil(digits.length / 2) + (text.startsWith('-') ? 2 : 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
