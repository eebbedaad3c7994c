import { type Cursor, LENGTH_DELIMITED, readVarint, VARINT, WireError } from './wire.ts';

/** The received but unread bytes of a stream. Read bytes are dropped, so a long stream takes little memory. */
export interface Window extends Cursor {
  bytes: Buffer;
  /** The end of the received bytes. */
  filled: number;
}

/** A field and the position of its value, whose end may not have been received yet. */
export interface Piece {
  readonly number: number;
  readonly wireType: number;
  readonly start: number;
  readonly end: number;
}

/** Appends a chunk to the incomplete object of the previous one. */
const FIRST_BYTES = 512 * 1024;
const VARINT_BYTES = 10;
const FIXED64 = 1;
const FIXED32 = 5;

export function emptyWindow(): Window {
  return { bytes: Buffer.allocUnsafe(FIRST_BYTES), at: 0, filled: 0 };
}

export function append(window: Window, chunk: Buffer): void {
  if (window.filled + chunk.length > window.bytes.length) makeRoom(window, chunk.length);
  chunk.copy(window.bytes, window.filled);
  window.filled += chunk.length;
}

function makeRoom(window: Window, length: number): void {
  const unread = window.filled - window.at;
  const wanted = unread + length;
  const bytes = wanted > window.bytes.length ? Buffer.allocUnsafe(2 * wanted) : window.bytes;
  window.bytes.copy(bytes, 0, window.at, window.filled);
  window.bytes = bytes;
  window.at = 0;
  window.filled = unread;
}

/** *Shape:* undefined where more bytes are needed; then the window is unchanged. *Errors:* WireError. */
export function peek(window: Window): Piece | undefined {
  const { bytes, at, filled } = window;
  const cursor = { bytes, at };
  if (!hasVarint(cursor, filled)) return undefined;
  const tag = readVarint(cursor);
  const wireType = tag & 7;
  const length = lengthOf(cursor, wireType, filled);
  if (length === undefined) return undefined;
  if (length < 0) throw new WireError(`a value of ${length} bytes`);
  return { number: tag >>> 3, wireType, start: cursor.at, end: cursor.at + length };
}

/** The length of the value, which begins at the cursor. */
function lengthOf(cursor: Cursor, wireType: number, filled: number): number | undefined {
  switch (wireType) {
    case LENGTH_DELIMITED:
      return hasVarint(cursor, filled) ? readVarint(cursor) : undefined;
    case VARINT:
      return hasVarint(cursor, filled) ? endOfVarint(cursor) : undefined;
    case FIXED64:
      return 8;
    case FIXED32:
      return 4;
    default:
      throw new WireError(`the wire type ${wireType}: Kubernetes writes 0, 1, 2 and 5`);
  }
}

function endOfVarint({ bytes, at }: Cursor): number {
  const cursor = { bytes, at };
  readVarint(cursor);
  return cursor.at - at;
}

/** Whether its last byte was received, or enough bytes to reject an invalid number. */
function hasVarint({ bytes, at }: Cursor, filled: number): boolean {
  const end = Math.min(filled, at + VARINT_BYTES);
  for (let index = at; index < end; index += 1) if ((bytes[index] ?? 0) < 0x80) return true;
  return end === at + VARINT_BYTES;
}
