/** A custom resource of CloudFormation: a function is called, and answers by writing to an address of S3. */

import { setTimeout } from 'node:timers/promises';
import type { CloudFormationCustomResourceEvent, CloudFormationCustomResourceUpdateEvent } from 'aws-lambda';
import type { Telemetry } from '../controllers/run/telemetry.ts';

export interface CustomResource {
  readonly install: (properties: Properties) => Promise<void>;
  /**
   * What was there before and is no more in the properties, or all of it. *Shape:* `unfinished` where it takes longer than an
   * invocation: all of it is asked for again.
   */
  readonly remove: (properties: Properties, kept: Properties | undefined) => Promise<'done' | 'unfinished'>;
}

export type Properties = Readonly<Record<string, unknown>>;

export interface CustomResourceRuntime {
  readonly telemetry: Pick<Telemetry, 'error'>;
  readonly put: (url: string, body: string) => Promise<void>;
}

/** Told to nobody but Lambda, which calls again whom it called without waiting for the answer: twice, a minute or two later. @internal */
export class UnfinishedError extends Error {
  override readonly name = 'UnfinishedError';
}

/** CloudFormation cuts what is longer, and shows none of it. */
const LONGEST_REASON = 1_000;

/**
 * Does what CloudFormation asks for and always answers, since a deployment that hears nothing waits for an hour. What cannot
 * be removed is told in the log and holds nothing up: a stack must be deletable when its cluster is long gone.
 * *Errors:* UnfinishedError where there is no answer yet.
 */
export async function answerCustomResource(
  { telemetry, put }: CustomResourceRuntime,
  event: CloudFormationCustomResourceEvent,
  resource: CustomResource,
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
  resource: CustomResource,
  telemetry: CustomResourceRuntime['telemetry'],
): Promise<unknown> {
  try {
    if (event.RequestType === 'Delete') {
      const state = await resource.remove(event.ResourceProperties, undefined);
      return state === 'done' ? undefined : new UnfinishedError('not all is removed yet: to be called again');
    }
    await resource.install(event.ResourceProperties);
    if (event.RequestType === 'Update') await takeBack(event, resource, telemetry);
    return undefined;
  } catch (error) {
    return error ?? new Error('failed without an error');
  }
}

/** Where an upgrade is rolled back, what was there before is of a newer version, which this one may not read. */
async function takeBack(
  { OldResourceProperties: before, ResourceProperties: now, StackId: stack }: CloudFormationCustomResourceUpdateEvent,
  resource: CustomResource,
  telemetry: CustomResourceRuntime['telemetry'],
): Promise<void> {
  try {
    await resource.remove(before, now);
  } catch (error) {
    telemetry.error('what was there before, and is no more, stays', error, { stack });
  }
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

const TRIES = 5;

/** *Errors:* an Error where the address takes no answer after several tries. */
export async function putAnswer(url: string, body: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // The address is signed for a request without a type.
      const answer = await fetch(url, { method: 'PUT', body, headers: { 'content-type': '' } });
      if (answer.ok) return;
      throw new Error(`CloudFormation's address answered ${answer.status}`);
    } catch (error) {
      if (attempt === TRIES) throw error;
      await setTimeout(2 ** attempt * 250);
    }
  }
}
