import { SECOND_MS } from '../../../apis/formats/time.ts';
import { refusalOf, type SignedCallOptions, type SignedRequest, signedCall } from '../client/signed-call.ts';

export interface StackResourceOptions extends SignedCallOptions {
  /** The id of the stack, which is its ARN. */
  readonly stack: string;
  /** The logical id of the resource. */
  readonly resource: string;
}

/** What CloudFormation does with a resource at present. */
export type ResourceState = 'deploying' | 'deleting' | 'idle';

const PATIENCE_MS = 5 * SECOND_MS;

/**
 * Asks CloudFormation for the state of a resource of a stack. A single signed request replaces the CloudFormation client.
 * *Errors:* RefusedError, also if the resource does not exist; UnreachableError. *Source:* CloudFormation's DescribeStackResource.
 */
export async function resourceState(options: StackResourceOptions): Promise<ResourceState> {
  const request = requestFor(options);
  const answer = await signedCall(options, request);
  const status = /<ResourceStatus>(?<status>[A-Z_]+)<\/ResourceStatus>/.exec(answer.text)?.groups?.['status'];
  if (answer.status < 300 && status !== undefined) return stateOf(status);
  throw refusalOf(request, answer);
}

function stateOf(status: string): ResourceState {
  if (status === 'DELETE_IN_PROGRESS') return 'deleting';
  return status.endsWith('_IN_PROGRESS') ? 'deploying' : 'idle';
}

function requestFor({ stack, resource }: StackResourceOptions): SignedRequest {
  const query = {
    Action: 'DescribeStackResource',
    Version: '2010-05-15',
    StackName: stack,
    LogicalResourceId: resource,
  };
  return {
    service: 'cloudformation',
    serviceName: 'CloudFormation',
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(query).toString(),
    timeoutMs: PATIENCE_MS,
    doing: `read the state of ${resource} in ${stack}`,
  };
}
