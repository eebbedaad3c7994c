/**
 * The wire format of protocol buffers, as far as Kubernetes writes it. Lengths are checked against the message that they are
 * in, so that bytes that are none end in a WireError and never outside.
 * *Source:* https://protobuf.dev/programming-guides/encoding/
 */

export const VARINT = 0;
const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/** Bytes that are not what they are taken for. Never leaves this folder: the reader of the list makes a port error of it. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** A place in bytes, moved on by whoever reads. */
export interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

const INT64_BYTES = 10;
/** So many bytes of 7 bits stay exact in a double. */
const EXACT_BYTES = 7;

/** Numbers beyond 2^53 are rounded as JSON.parse rounds them; a negative one has all ten bytes. */
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

/** *Shape:* where the value ends that begins after its length. */
export function readEnd(cursor: Cursor, limit: number): number {
  const length = readVarint(cursor);
  const end = cursor.at + length;
  if (length < 0 || end > limit) {
    throw new WireError(`the value at byte ${cursor.at} has ${length} bytes, and ${limit - cursor.at} are left`);
  }
  return end;
}

/** Past a value that nobody reads. */
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
