import { buildQueryString } from '@smithy/core/protocols';
import { type AwsCredentials, awsDomain, requestSigner } from '../client/request-signer.ts';

export interface TokenRequest {
  readonly cluster: string;
  readonly region: string;
  readonly credentials: AwsCredentials;
  readonly nowMs: number;
}

/** How long the presigned URL is valid. EKS accepts the token for 15 minutes from its date. */
const EXPIRES_SECONDS = 60;

/**
 * The bearer token by which EKS identifies an IAM identity: the presigned URL of a GetCallerIdentity call for this cluster,
 * which is not sent. *Source:* AWS Signature Version 4, verified by `test/cluster/support/token-review.ts`.
 */
export async function eksToken({ cluster, region, credentials, nowMs }: TokenRequest): Promise<string> {
  const host = `sts.${region}.${awsDomain(region)}`;
  const call = {
    method: 'GET',
    protocol: 'https:',
    hostname: host,
    path: '/',
    query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
    headers: { host, 'x-k8s-aws-id': cluster },
  };
  const options = { signingDate: new Date(nowMs), expiresIn: EXPIRES_SECONDS };
  const { query } = await requestSigner({ service: 'sts', region, credentials }).presign(call, options);
  return `k8s-aws-v1.${Buffer.from(`https://${host}/?${buildQueryString(query ?? {})}`).toString('base64url')}`;
}
