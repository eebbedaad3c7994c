import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface SignedCall {
  readonly service: string;
  readonly region: string;
  readonly host: string;
  /** As it is sent: each part is escaped already. */
  readonly path: string;
  readonly credentials: AwsCredentials;
  readonly nowMs: number;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The headers that make a GET without a query a signed one. *Source:* AWS Signature Version 4. */
export function signedHeaders({ service, region, host, path, credentials, nowMs }: SignedCall): Record<string, string> {
  const timestamp = timestampOf(nowMs);
  const scope = scopeOf(timestamp, region, service);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const headers = {
    host,
    'x-amz-date': timestamp,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  // Every service but S3 has the path escaped once more before it is signed.
  const canonicalPath = path.split('/').map(escaped).join('/');
  const call = ['GET', canonicalPath, '', lines.join(''), names, sha256('')].join('\n');
  const Signature = signatureOf(call, { secretAccessKey, timestamp, scope });
  const authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${Signature}`;
  return { ...headers, authorization };
}

/** `20260131T080000Z`. */
export function timestampOf(nowMs: number): string {
  return new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

export function scopeOf(timestamp: string, region: string, service: string): string {
  return `${timestamp.slice(0, 8)}/${region}/${service}/aws4_request`;
}

/** Of a canonical request. */
export function signatureOf(
  call: string,
  key: { readonly secretAccessKey: string; readonly timestamp: string; readonly scope: string },
): string {
  const text = [ALGORITHM, key.timestamp, key.scope, sha256(call)].join('\n');
  return hmac(signingKey(key.secretAccessKey, key.scope), text).toString('hex');
}

/** RFC 3986, as the signature wants it: encodeURIComponent leaves five characters too many. */
export function escaped(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The secret, narrowed step by step to the day, the region and the service of the scope. */
function signingKey(secretAccessKey: string, scope: string): Buffer {
  return scope.split('/').reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secretAccessKey}`));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
