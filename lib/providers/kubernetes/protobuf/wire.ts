/**
 * The part of the protocol buffers wire format that Kubernetes uses. Lengths are checked against the enclosing message, so
 * invalid bytes lead to a WireError and never to a read outside it.
 * *Source:* https://protobuf.dev/programming-guides/encoding/
 */

export const VARINT = 0;
const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/** Invalid bytes. The reader of the list converts this error to a port error. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** A mutable position in bytes. */
export interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

const INT64_BYTES = 10;
/** The number of bytes with 7 bits each that are exact in a double. */
const EXACT_BYTES = 7;

/** Numbers above 2^53 are rounded as by JSON.parse. A negative number has ten bytes. */
export function readVarint(cursor: Cursor): number {
  const { bytes } = cursor;
  const start = cursor.at;
  let value = 0;
  let unit = 1;
  for (let length = 1; length <= EXACT_BYTES; length += 1) {
    const byte = byteAt(bytes, start + length - 1);
    value += (byte & 0x7f) * unit;
    if (byte < 0x80) {
      cursor.at = start + length;
      return value;
    }
    unit *= 0x80;
  }
  return readLongVarint(cursor);
}

function readLongVarint(cursor: Cursor): number {
  let value = 0n;
  for (let length = 0; length < INT64_BYTES; length += 1) {
    const byte = byteAt(cursor.bytes, cursor.at + length);
    value |= BigInt(byte & 0x7f) << BigInt(7 * length);
    if (byte < 0x80) {
      cursor.at += length + 1;
      return Number(BigInt.asIntN(64, value));
    }
  }
  throw new WireError(`the number at byte ${cursor.at} has more than ${INT64_BYTES} bytes`);
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new WireError(`it ends at byte ${at}, within a number`);
  return byte;
}

/** *Shape:* the end of a value that follows its length. */
export function readEnd(cursor: Cursor, limit: number): number {
  const length = readVarint(cursor);
  const end = cursor.at + length;
  if (length < 0 || end > limit) {
    throw new WireError(`the value at byte ${cursor.at} has ${length} bytes, but ${limit - cursor.at} are left`);
  }
  return end;
}

/** Skips a value. */
export function skip(cursor: Cursor, wireType: number, limit: number): void {
  switch (wireType) {
    case VARINT:
      readVarint(cursor);
      break;
    case FIXED64:
      cursor.at += 8;
      break;
    case LENGTH_DELIMITED:
      cursor.at = readEnd(cursor, limit);
      break;
    case FIXED32:
      cursor.at += 4;
      break;
    default:
      throw new WireError(`the wire type ${wireType} before byte ${cursor.at}: Kubernetes writes 0, 1, 2 and 5`);
  }
  if (cursor.at > limit) throw new WireError(`a value ends at byte ${cursor.at}, and its message at ${limit}`);
}
