import { gunzipSync, gzipSync } from 'node:zlib';
import { RefusedError } from '../../ports/errors.ts';

/** DynamoDB takes 400 KB an item, keys and names included; the rest is margin. */
export const LARGEST_BODY_BYTES = 350 * 1024;

/** *Shape:* gzipped JSON. *Errors:* RefusedError where it would not fit into an item; `subject` names it. */
export function packBody(value: unknown, subject: string): Uint8Array {
  const body = compress(value);
  if (body.byteLength > LARGEST_BODY_BYTES) {
    throw new RefusedError(
      `${subject} is too large for the table: ${body.byteLength} bytes compressed, at most ${LARGEST_BODY_BYTES}: ` +
        'let one decision place fewer pods',
    );
  }
  return body;
}

export function compress(value: unknown): Uint8Array {
  return gzipSync(JSON.stringify(value));
}

/** *Errors:* RefusedError where the stored text is not what `is` expects: written by another program or version. */
export function unpackBody<T>(body: unknown, is: (value: unknown) => value is T, subject: string): T {
  if (!(body instanceof Uint8Array))
    throw new RefusedError(`${subject} has no body in the table: was it edited by hand?`);
  const value: unknown = JSON.parse(gunzipSync(body).toString('utf8'));
  if (is(value)) return value;
  throw new RefusedError(
    `${subject} in the table has another shape than this version of Kerf writes: upgrade or restore it`,
  );
}
