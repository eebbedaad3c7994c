import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface TokenRequest {
  readonly cluster: string;
  readonly region: string;
  readonly credentials: AwsCredentials;
  readonly nowMs: number;
}

/** How long the presigned call may be made; EKS itself takes the token for 15 minutes from its date. */
const EXPIRES_SECONDS = 60;
const SIGNED_HEADERS = 'host;x-k8s-aws-id';

/**
 * The bearer token by which EKS knows an IAM identity: a GetCallerIdentity call, signed for this cluster and not made.
 * *Source:* measured against a local verifier, `kubernetes-control-plane.md` section 5; AWS Signature Version 4.
 */
export function eksToken(request: TokenRequest): string {
  return `k8s-aws-v1.${Buffer.from(presignedUrl(request)).toString('base64url')}`;
}

function presignedUrl({ cluster, region, credentials, nowMs }: TokenRequest): string {
  const host = `sts.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`;
  const timestamp = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${timestamp.slice(0, 8)}/${region}/sts/aws4_request`;
  const query = canonicalQuery({
    Action: 'GetCallerIdentity',
    Version: '2011-06-15',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${credentials.accessKeyId}/${scope}`,
    'X-Amz-Date': timestamp,
    'X-Amz-Expires': String(EXPIRES_SECONDS),
    'X-Amz-SignedHeaders': SIGNED_HEADERS,
    ...(credentials.sessionToken === undefined ? {} : { 'X-Amz-Security-Token': credentials.sessionToken }),
  });
  const headers = `host:${host}\nx-k8s-aws-id:${cluster}\n`;
  const call = ['GET', '/', query, headers, SIGNED_HEADERS, sha256('')].join('\n');
  const text = ['AWS4-HMAC-SHA256', timestamp, scope, sha256(call)].join('\n');
  const signature = hmac(signingKey(credentials.secretAccessKey, scope), text).toString('hex');
  return `https://${host}/?${query}&X-Amz-Signature=${signature}`;
}

function canonicalQuery(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .join('&');
}

/** RFC 3986, as the signature wants it: encodeURIComponent leaves five characters too many. */
function escaped(text: string): string {
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

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
