/**
 * Whether CloudFormation waits for a response at this address: the bucket of AWS for the responses of custom resources in the
 * region of the function. *Source:* CloudFormation's guide to VPC endpoints: the bucket has the name of the region without dashes.
 */
export function isAnswerAddress(address: string, { region, endpoint }: AnswerPlace): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (endpoint !== undefined) return url.origin === URL.parse(endpoint)?.origin;
  return url.protocol === 'https:' && url.port === '' && hostsOf(region).includes(url.hostname);
}

export interface AnswerPlace {
  readonly region: string;
  /** The endpoint of an emulator, which the SDK reads from the same variable. @default S3 of AWS */
  readonly endpoint?: string;
}

/** The address styles of S3: global, regional, and the older regional one with a dash. */
function hostsOf(region: string): readonly string[] {
  const bucket = `cloudformation-custom-resource-response-${region.replaceAll('-', '')}`;
  if (region.startsWith('cn-')) {
    return [`${bucket}.s3.${region}.amazonaws.com.cn`, `${bucket}.s3-${region}.amazonaws.com.cn`];
  }
  return [`${bucket}.s3.amazonaws.com`, `${bucket}.s3.${region}.amazonaws.com`, `${bucket}.s3-${region}.amazonaws.com`];
}
