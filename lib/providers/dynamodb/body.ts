import { brotliCompressSync, brotliDecompressSync, constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { RefusedError, UnreadableError } from '../../ports/errors.ts';
import { recordDictionary } from './record-dictionary.ts';

/** DynamoDB allows 400 KB per item, including keys and names; the rest is margin. */
export const MAX_ITEM_BODY_BYTES = 350 * 1024;

/** *Shape:* compressed JSON. *Errors:* RefusedError where it does not fit into an item; `subject` is its name in the message. */
export function packBody(value: unknown, subject: string): Uint8Array {
  const body = compress(value);
  if (body.byteLength > MAX_ITEM_BODY_BYTES) throw tooLarge(body, subject);
  return body;
}

/** The first byte of a body that is compressed with the dictionary. Brotli begins with it only for a window that `compress` does not use. */
const WITH_DICTIONARY = 0;

/** A longer text repeats itself more often than it repeats the dictionary. */
const MAX_DICTIONARY_TEXT = 16 * 1_024;

/**
 * *Shape:* the compressed record of a NodeClaim. Each list reads all records, so their size is what an idle cluster costs. Measured with a launched
 * claim of 3.3 KB: 1,105 bytes by brotli, about 600 with the dictionary. *Errors:* as `packBody`.
 */
export function packRecord(value: unknown, subject: string): Uint8Array {
  const body = compressWithDictionary(value);
  if (body.byteLength > MAX_ITEM_BODY_BYTES) throw tooLarge(body, subject);
  return body;
}

/** *Shape:* as `packRecord`, of any size. */
export function compressWithDictionary(value: unknown): Uint8Array {
  const text = JSON.stringify(value);
  if (text.length > MAX_DICTIONARY_TEXT) return compress(value);
  const packed = deflateRawSync(text, { dictionary: recordDictionary(), level: 9, memLevel: 9 });
  return Buffer.concat([Buffer.of(WITH_DICTIONARY), packed]);
}

export function tooLarge({ byteLength }: Uint8Array, subject: string): RefusedError {
  return new RefusedError(
    `${subject} is too large for the table: ${byteLength} bytes compressed, but at most ${MAX_ITEM_BODY_BYTES} are allowed; ` +
      'reduce the number of pods per decision',
  );
}

/**
 * Brotli, because its window is larger than the 32 KB of gzip: the claims of a decision repeat the same options, 60 KB per
 * claim. Measured with 50 claims for 4,500 pods: 46 KB in 18 ms; gzip needs 273 KB and 29 ms.
 */
export function compress(value: unknown): Uint8Array {
  const text = JSON.stringify(value);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  return brotliCompressSync(text, { params });
}

/** *Errors:* UnreadableError where the stored text does not have the expected shape, because another program or version wrote it. */
export function unpackBody<T>(body: unknown, is: (value: unknown) => value is T, subject: string): T {
  if (!(body instanceof Uint8Array))
    throw new UnreadableError(`${subject} has no body in the table; restore it if it was edited manually`);
  return parsed(() => decompressed(body), is, subject);
}

/** The same for a text that is not in the item. */
export function unpackText<T>(text: string, is: (value: unknown) => value is T, subject: string): T {
  return parsed(() => text, is, subject);
}

function decompressed(body: Uint8Array): string {
  return (
    body[0] === WITH_DICTIONARY
      ? inflateRawSync(body.subarray(1), { dictionary: recordDictionary() })
      : brotliDecompressSync(body)
  ).toString('utf8');
}

function parsed<T>(textOf: () => string, is: (value: unknown) => value is T, subject: string): T {
  const value = json(textOf, subject);
  if (is(value)) return value;
  throw new UnreadableError(
    `${subject} in the table was written by another version of Kerf; upgrade Kerf or restore the item`,
  );
}

function json(textOf: () => string, subject: string): unknown {
  try {
    return JSON.parse(textOf());
  } catch (cause) {
    throw new UnreadableError(`${subject} in the table cannot be read; restore it if it was edited manually`, {
      cause,
    });
  }
}
