import { DAY_MS, formatTime, SECOND_MS } from '../../../apis/formats/time.ts';
import { type Cursor, WireError } from './wire.ts';

/**
 * Caches values within one list: the pods of a Deployment share most of their values, which are stored once. This takes a third
 * of the time and memory of decoding each value.
 */
export interface KnownValues {
  readonly texts: Map<number, string>;
  readonly times: Map<number, string>;
  /** By the field, then by the bytes. */
  readonly values: Map<object, Map<string, unknown>>;
}

/** Longer text, such as condition messages, is rarely equal. */
const LONGEST_TEXT = 64;
/** The year 9999, the last one in RFC 3339, of any zone. */
const LARGEST_SECONDS = 253_402_300_799 + DAY_MS / SECOND_MS;
/** Limits the memory for values that turn out to be different. */
const MAX_KNOWN = 20_000;

export function noKnownValues(): KnownValues {
  return { texts: new Map(), times: new Map(), values: new Map() };
}

/** The text up to `end`; the same string for the same bytes. */
export function knownText(cursor: Cursor, end: number, { texts }: KnownValues): string {
  const { bytes, at } = cursor;
  if (end - at > LONGEST_TEXT) return newText(cursor, end);
  const hash = hashOf(bytes, at, end);
  const known = texts.get(hash);
  if (known !== undefined && isText(cursor, end, known)) {
    cursor.at = end;
    return known;
  }
  const text = newText(cursor, end);
  if (texts.size < MAX_KNOWN) texts.set(hash, text);
  return text;
}

export function newText(cursor: Cursor, end: number): string {
  const text = cursor.bytes.toString('utf8', cursor.at, end);
  cursor.at = end;
  return text;
}

/** RFC 3339 in whole seconds, as in the API server's JSON, which writes the years 10000 and -1 of a time in another zone as they are. */
export function knownTime(seconds: number, { times }: KnownValues): string {
  const known = times.get(seconds);
  if (known !== undefined) return known;
  if (Math.abs(seconds) > LARGEST_SECONDS) throw new WireError(`a time of ${seconds} s after 1970`);
  const text = formatTime(seconds * SECOND_MS).replace(/^\+0|(?<=^-)00/, '');
  if (times.size < MAX_KNOWN) times.set(seconds, text);
  return text;
}

/** The decoded value of these bytes in this field. */
export function knownValue(field: object, bytes: string, { values }: KnownValues): unknown {
  return values.get(field)?.get(bytes);
}

export function rememberValue(
  field: object,
  { bytes, value }: { readonly bytes: string; readonly value: unknown },
  { values }: KnownValues,
): void {
  let ofField = values.get(field);
  if (ofField === undefined) {
    ofField = new Map();
    values.set(field, ofField);
  }
  if (ofField.size < MAX_KNOWN) ofField.set(bytes, value);
}

function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
  return hash;
}

/** Never true for text that is not ASCII, where bytes and characters differ. */
function isText({ bytes, at: start }: Cursor, end: number, text: string): boolean {
  const { length } = text;
  if (length !== end - start) return false;
  for (let index = 0; index < length; index += 1) if (text.charCodeAt(index) !== bytes[start + index]) return false;
  return true;
}
