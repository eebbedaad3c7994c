import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface SigningScope {
  readonly service: string;
  readonly region: string;
  readonly credentials: AwsCredentials;
}

/** Signs calls that no client of the SDK makes, with the SDK's own signer. *Source:* AWS Signature Version 4. */
export function requestSigner(scope: SigningScope): SignatureV4 {
  return new SignatureV4({ ...scope, sha256: Sha256, applyChecksum: false });
}

/** The domain of AWS's endpoints in a region. */
export function awsDomain(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}
