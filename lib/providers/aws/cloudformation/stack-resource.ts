import { SECOND_MS } from '../../../apis/formats/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import { RefusedError, UnreachableError } from '../../../ports/errors.ts';
import { type AwsCredentials, awsDomain, requestSigner } from '../client/request-signer.ts';

export interface StackResourceOptions {
  readonly region: string;
  /** The id of the stack, which is its ARN. */
  readonly stack: string;
  /** The logical id of the resource. */
  readonly resource: string;
  readonly credentials: () => Promise<AwsCredentials>;
  readonly clock: Clock;
  /** Of an emulator. @default CloudFormation in the region */
  readonly endpoint?: string;
  /** @default the runtime's own */
  readonly fetch?: typeof fetch;
}

/** What CloudFormation does with a resource at present. */
export type ResourceState = 'deploying' | 'deleting' | 'idle';

const PATIENCE_MS = 5 * SECOND_MS;
const SERVICE = 'cloudformation';

/**
 * Asks CloudFormation for the state of a resource of a stack. A single signed request replaces the CloudFormation client.
 * *Errors:* RefusedError, also if the resource does not exist; UnreachableError. *Source:* CloudFormation's DescribeStackResource.
 */
export async function resourceState(options: StackResourceOptions): Promise<ResourceState> {
  const { stack, resource } = options;
  const doing = `read the state of ${resource} in ${stack}`;
  const answer = await ask(options, doing);
  const text = await answer.text();
  const status = /<ResourceStatus>(?<status>[A-Z_]+)<\/ResourceStatus>/.exec(text)?.groups?.['status'];
  if (answer.ok && status !== undefined) return stateOf(status);
  const message = `${doing}: CloudFormation answered ${answer.status}: ${text.slice(0, 300)}`;
  if (answer.status === 429 || answer.status >= 500 || text.includes('<Code>Throttling</Code>')) {
    throw new UnreachableError(message);
  }
  throw new RefusedError(message);
}

function stateOf(status: string): ResourceState {
  if (status === 'DELETE_IN_PROGRESS') return 'deleting';
  return status.endsWith('_IN_PROGRESS') ? 'deploying' : 'idle';
}

async function ask(options: StackResourceOptions, doing: string): Promise<Response> {
  const { region, stack, resource, credentials, clock, fetch: call = fetch } = options;
  const url = new URL(options.endpoint ?? `https://${SERVICE}.${region}.${awsDomain(region)}/`);
  const query = {
    Action: 'DescribeStackResource',
    Version: '2010-05-15',
    StackName: stack,
    LogicalResourceId: resource,
  };
  const body = new URLSearchParams(query).toString();
  const signer = requestSigner({ service: SERVICE, region, credentials: await credentials() });
  const { headers } = await signer.sign(
    {
      method: 'POST',
      protocol: url.protocol,
      hostname: url.host,
      path: '/',
      headers: { host: url.host, 'content-type': 'application/x-www-form-urlencoded' },
      body,
    },
    { signingDate: new Date(clock.now()) },
  );
  try {
    return await call(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (cause) {
    throw new UnreachableError(`${doing}: CloudFormation did not answer within ${PATIENCE_MS} ms`, { cause });
  }
}
