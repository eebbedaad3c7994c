/**
 * A custom resource of CloudFormation. Its event is only a trigger: it selects none of what is installed, where, or with whose
 * rights. It can only keep what is installed in a former cluster. CloudFormation itself says whether the resource is being deleted, so a
 * forged or repeated event removes nothing.
 */

import { ownField } from '../../apis/record.ts';
import { errorMessage } from '../../core/error-message.ts';
import { PortError, RefusedError, UnexpectedError } from '../../ports/errors.ts';
import type { ResourceState } from '../../providers/aws/cloudformation/stack-resource.ts';
import { ELSEWHERE } from '../options/options.ts';
import { type AnswerRuntime, isForged, type Request, requestOf } from './cloudformation-request.ts';

export interface DeploymentWork {
  /** Installs what is configured, and removes what is no longer configured. @param elsewhere the clusters that another installer of the stack has */
  readonly install: (elsewhere: ReadonlySet<string>) => Promise<void>;
  /** Removes everything. *Shape:* `unfinished` if it takes longer than an invocation; then Lambda calls again with the same event. */
  readonly remove: () => Promise<'done' | 'unfinished'>;
  /** Ends rights that an invocation that did not end properly has left. */
  readonly takeRightsBack: () => Promise<void>;
  /** Repeats a call that fails without a refusal, while the invocation has time. *Errors:* that of the last call. */
  readonly repeated: <T>(call: () => Promise<T>) => Promise<T>;
}

export interface CustomResourceRuntime extends AnswerRuntime {
  /** What CloudFormation does with the resource. *Errors:* those of the port. */
  readonly state: () => Promise<ResourceState>;
}

/** Makes Lambda repeat the asynchronous invocation: twice, one and two minutes later. @internal */
export class UnfinishedError extends Error {
  override readonly name = 'UnfinishedError';
}

/** CloudFormation does not show a longer reason. */
const LONGEST_REASON = 1_000;

/**
 * Handles an invocation. A request of CloudFormation always gets a response, because a deployment without a response waits for
 * an hour. A removal that a port refuses is logged and reported as success: a stack must be deletable if its cluster no longer exists. It
 * fails after any other error, and if CloudFormation does not say whether it deletes the deployment. Any other event is the daily check. *Errors:* UnfinishedError if the
 * removal is not complete.
 */
export async function answerTrigger(
  runtime: CustomResourceRuntime,
  event: unknown,
  work: DeploymentWork,
): Promise<void> {
  const { telemetry, put } = runtime;
  const request = requestOf(event);
  if (request === undefined) return await checkRights(runtime, work);
  if (isForged(runtime, request)) return;
  const { type, responseUrl, ids } = request;
  const failure = await failureOf(runtime, request, work);
  if (failure instanceof UnfinishedError) throw failure;
  if (failure !== undefined) telemetry.error('request of CloudFormation failed', failure, { type, stack: ids.StackId });
  const fails = failure !== undefined && (type !== 'Delete' || isUnexpected(failure));
  const body = JSON.stringify({
    Status: fails ? 'FAILED' : 'SUCCESS',
    Reason: fails ? errorMessage(failure).slice(0, LONGEST_REASON) : 'done',
    ...ids,
  });
  await put(responseUrl, body);
}

/** Whether a removal failed for a reason that does not end with the cluster, so that it can be repeated. */
function isUnexpected(failure: unknown): boolean {
  return !(failure instanceof PortError) || failure instanceof UnexpectedError;
}

/** During a deployment, the invocation that works on it ends its own rights. */
async function checkRights({ telemetry, state }: CustomResourceRuntime, work: DeploymentWork): Promise<void> {
  let now: ResourceState = 'idle';
  try {
    now = await state();
  } catch (error) {
    telemetry.error('the state of the deployment is unknown, and the rights are checked without it', error, {});
  }
  if (now === 'idle') await work.takeRightsBack();
}

async function failureOf(
  { state, telemetry }: CustomResourceRuntime,
  { type, properties }: Request,
  work: DeploymentWork,
): Promise<unknown> {
  try {
    if (type === 'Delete') return await failureToRemove({ state, telemetry }, work);
    if (await isBeingDeleted({ state, telemetry }))
      return new Error('the deployment is being deleted: nothing is installed');
    await work.install(elsewhereIn(properties));
    return undefined;
  } catch (error) {
    return error ?? new Error('failed without an error');
  }
}

function elsewhereIn(properties: unknown): ReadonlySet<string> {
  const names = ownField(properties, ELSEWHERE);
  return new Set(Array.isArray(names) ? names.map(String) : []);
}

/** CloudFormation does not say whether it deletes the deployment. */
class UnknownStateError extends Error {}

type StateRuntime = Pick<CustomResourceRuntime, 'state' | 'telemetry'>;

async function failureToRemove({ state, telemetry }: StateRuntime, work: DeploymentWork): Promise<Error | undefined> {
  let now: ResourceState;
  try {
    now = await work.repeated(state);
  } catch (error) {
    if (!(error instanceof PortError && error.retryable)) throw error;
    telemetry.error('the state of the deployment is unknown, and nothing is removed', error, {});
    return new UnknownStateError(
      `CloudFormation does not answer the installer, so nothing is removed (${errorMessage(error)}): delete the stack again, or, without a route to CloudFormation, retain this resource and remove Kerf by hand`,
      { cause: error },
    );
  }
  if (now !== 'deleting')
    return new RefusedError(`CloudFormation does not delete the deployment (${now}): nothing is removed`);
  if ((await work.remove()) === 'done') return undefined;
  return new UnfinishedError('the removal is not complete: Lambda calls the function again');
}

/** Installing is harmless at any other time, so it does not depend on an answer of CloudFormation. */
async function isBeingDeleted({ state, telemetry }: StateRuntime): Promise<boolean> {
  try {
    return (await state()) === 'deleting';
  } catch (error) {
    telemetry.error('the state of the deployment is unknown, and Kerf is installed', error, {});
    return false;
  }
}
