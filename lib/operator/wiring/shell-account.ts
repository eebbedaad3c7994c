/** The region and the credentials of the shell, for commands that call AWS. */
import { OptionError } from '../options/option-values.ts';

interface AwsClient {
  readonly config: {
    readonly region: () => Promise<string>;
    readonly credentials: () => Promise<unknown>;
  };
}

/** *Errors:* OptionError. */
export async function regionOf(client: AwsClient): Promise<string> {
  try {
    return await client.config.region();
  } catch (cause) {
    throw new OptionError('no AWS region is set: add --region, or set AWS_REGION', { cause });
  }
}

/** `alternative`: what needs no credentials. *Errors:* OptionError. */
export async function haveCredentials(client: AwsClient, alternative?: string): Promise<void> {
  try {
    await client.config.credentials();
  } catch (cause) {
    const problem = credentialsProblem(cause instanceof Error ? cause.message : '', process.env['AWS_PROFILE']);
    throw new OptionError(alternative === undefined ? problem : `${problem}; ${alternative}`, { cause });
  }
}

/** Why there are no credentials, and what to do, for a message of the SDK. @internal */
export function credentialsProblem(message: string, profile = ''): string {
  const login = profile === '' ? 'aws sso login' : `aws sso login --profile ${profile}`;
  const of = profile === '' ? '' : ` of profile ${profile}`;
  if (/\bSSO\b|sign-?in session/i.test(message))
    return `the AWS sign-in session${of} is missing or has expired: run ${login}`;
  return profile === ''
    ? `no AWS credentials were found: sign in (${login}), or set AWS_PROFILE`
    : `no AWS credentials were found for profile ${profile}: check AWS_PROFILE and ~/.aws/config, or sign in (${login})`;
}
