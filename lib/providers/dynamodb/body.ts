import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { RefusedError } from '../../ports/errors.ts';

/** DynamoDB takes 400 KB an item, keys and names included; the rest is margin. */
export const LARGEST_BODY_BYTES = 350 * 1024;

/** *Shape:* compressed JSON. *Errors:* RefusedError where it would not fit into an item; `subject` names it. */
export function packBody(value: unknown, subject: string): Uint8Array {
  const body = compress(value);
  if (body.byteLength > LARGEST_BODY_BYTES) throw tooLarge(body, subject);
  return body;
}

export function tooLarge({ byteLength }: Uint8Array, subject: string): RefusedError {
  return new RefusedError(
    `${subject} is too large for the table: ${byteLength} bytes compressed, at most ${LARGEST_BODY_BYTES}: ` +
      'let one decision place fewer pods',
  );
}

/**
 * Brotli, since it looks back further than the 32 KB of gzip: the claims of one decision repeat each other's options, 60 KB a
 * claim. Measured with 50 claims for 4,500 pods: 46 KB in 18 ms, where gzip makes 273 KB in 29 ms.
 */
export function compress(value: unknown): Uint8Array {
  const text = JSON.stringify(value);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  return brotliCompressSync(text, { params });
}

/** *Errors:* RefusedError where the stored text is not what `is` expects: written by another program or version. */
export function unpackBody<T>(body: unknown, is: (value: unknown) => value is T, subject: string): T {
  if (!(body instanceof Uint8Array))
    throw new RefusedError(`${subject} has no body in the table: was it edited by hand?`);
  const value = decompressed(body, subject);
  if (is(value)) return value;
  throw new RefusedError(
    `${subject} in the table has another shape than this version of Kerf writes: upgrade or restore it`,
  );
}

function decompressed(body: Uint8Array, subject: string): unknown {
  try {
    return JSON.parse(brotliDecompressSync(body).toString('utf8'));
  } catch (cause) {
    throw new RefusedError(`${subject} in the table cannot be read: was it edited by hand? Restore it`, { cause });
  }
}
