import { type AwsCredentials, escaped, scopeOf, sha256, signatureOf, timestampOf } from './signature-v4.ts';

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
  const timestamp = timestampOf(nowMs);
  const scope = scopeOf(timestamp, region, 'sts');
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
  const signature = signatureOf(call, { secretAccessKey: credentials.secretAccessKey, timestamp, scope });
  return `https://${host}/?${query}&X-Amz-Signature=${signature}`;
}

function canonicalQuery(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .join('&');
}
