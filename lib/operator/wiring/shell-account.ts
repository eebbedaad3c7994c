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

/** *Errors:* OptionError. */
export async function haveCredentials(client: AwsClient): Promise<void> {
  try {
    await client.config.credentials();
  } catch (cause) {
    throw new OptionError(
      `no AWS credentials were found: sign in (aws sso login), or set AWS_PROFILE. Error of the SDK: ${messageOf(cause)}`,
      { cause },
    );
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
