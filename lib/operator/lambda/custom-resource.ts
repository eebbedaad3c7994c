/** A custom resource of CloudFormation: CloudFormation calls the function, which writes its response to an S3 address. */

import { setTimeout } from 'node:timers/promises';
import type { CloudFormationCustomResourceEvent, CloudFormationCustomResourceUpdateEvent } from 'aws-lambda';
import type { Telemetry } from '../../controllers/run/telemetry.ts';

export interface CloudFormationResource {
  readonly install: (properties: Properties) => Promise<void>;
  /**
   * Removes what is not in the kept properties, or everything. *Shape:* `unfinished` if it takes longer than an invocation; then
   * Lambda calls again with the same event.
   */
  readonly remove: (properties: Properties, kept: Properties | undefined) => Promise<'done' | 'unfinished'>;
}

export type Properties = Readonly<Record<string, unknown>>;

export interface CustomResourceRuntime {
  readonly telemetry: Pick<Telemetry, 'error'>;
  readonly put: (url: string, body: string) => Promise<void>;
}

/** Makes Lambda repeat the asynchronous invocation: twice, one and two minutes later. @internal */
export class UnfinishedError extends Error {
  override readonly name = 'UnfinishedError';
}

/** CloudFormation does not show a longer reason. */
const LONGEST_REASON = 1_000;

/**
 * Handles an event of CloudFormation and always responds, because a deployment without a response waits for an hour. A failed
 * removal is logged and reported as success: a stack must be deletable if its cluster no longer exists.
 * *Errors:* UnfinishedError if the removal is not complete.
 */
export async function answerCustomResource(
  { telemetry, put }: CustomResourceRuntime,
  event: CloudFormationCustomResourceEvent,
  resource: CloudFormationResource,
): Promise<void> {
  const failure = await failureOf(event, resource, telemetry);
  if (failure instanceof UnfinishedError) throw failure;
  if (failure !== undefined) telemetry.error(`${event.RequestType} failed`, failure, { stack: event.StackId });
  const fails = failure !== undefined && event.RequestType !== 'Delete';
  const body = JSON.stringify({
    Status: fails ? 'FAILED' : 'SUCCESS',
    Reason: fails ? messageOf(failure).slice(0, LONGEST_REASON) : 'done',
    PhysicalResourceId: 'PhysicalResourceId' in event ? event.PhysicalResourceId : event.LogicalResourceId,
    StackId: event.StackId,
    RequestId: event.RequestId,
    LogicalResourceId: event.LogicalResourceId,
  });
  await put(event.ResponseURL, body);
}

async function failureOf(
  event: CloudFormationCustomResourceEvent,
  resource: CloudFormationResource,
  telemetry: CustomResourceRuntime['telemetry'],
): Promise<unknown> {
  try {
    if (event.RequestType === 'Delete') {
      const state = await resource.remove(event.ResourceProperties, undefined);
      return state === 'done'
        ? undefined
        : new UnfinishedError('the removal is not complete: Lambda calls the function again');
    }
    await resource.install(event.ResourceProperties);
    if (event.RequestType === 'Update') await takeBack(event, resource, telemetry);
    return undefined;
  } catch (error) {
    return error ?? new Error('failed without an error');
  }
}

/** After the rollback of an upgrade, the old properties are of a newer version, which this version may not be able to read. */
async function takeBack(
  { OldResourceProperties: before, ResourceProperties: now, StackId: stack }: CloudFormationCustomResourceUpdateEvent,
  resource: CloudFormationResource,
  telemetry: CustomResourceRuntime['telemetry'],
): Promise<void> {
  try {
    await resource.remove(before, now);
  } catch (error) {
    telemetry.error('failed to remove what is no longer configured', error, { stack });
  }
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

const TRIES = 5;

/** *Errors:* an Error if the address does not accept the response after several tries. */
export async function putAnswer(url: string, body: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // The address is signed for a request without a content type.
      const answer = await fetch(url, { method: 'PUT', body, headers: { 'content-type': '' } });
      if (answer.ok) return;
      throw new Error(`CloudFormation's address answered ${answer.status}`);
    } catch (error) {
      if (attempt === TRIES) throw error;
      await setTimeout(2 ** attempt * 250);
    }
  }
}
