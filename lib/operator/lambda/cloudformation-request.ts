/** A request of CloudFormation to a custom resource, and the response. */

import { setTimeout } from 'node:timers/promises';
import { ownField } from '../../apis/record.ts';
import type { Telemetry } from '../../controllers/run/telemetry.ts';

export interface Request {
  readonly type: string;
  readonly responseUrl: string;
  /** What the response must repeat. */
  readonly ids: Readonly<Record<'StackId' | 'RequestId' | 'LogicalResourceId' | 'PhysicalResourceId', string>>;
  readonly properties: unknown;
}

/** Undefined for an event that is not a request of CloudFormation. */
export function requestOf(event: unknown): Request | undefined {
  const text = (key: string): string => {
    const value = ownField(event, key);
    return typeof value === 'string' ? value : '';
  };
  const type = text('RequestType');
  if (type === '') return undefined;
  const LogicalResourceId = text('LogicalResourceId');
  const PhysicalResourceId = text('PhysicalResourceId') || LogicalResourceId;
  const ids = { StackId: text('StackId'), RequestId: text('RequestId'), LogicalResourceId, PhysicalResourceId };
  return { type, responseUrl: text('ResponseURL'), ids, properties: ownField(event, 'ResourceProperties') };
}

/** How a custom resource answers. */
export interface AnswerRuntime {
  readonly telemetry: Pick<Telemetry, 'error'>;
  readonly put: (url: string, body: string) => Promise<void>;
  readonly isAnswerAddress: (url: string) => boolean;
}

/** Whether the response would not go to CloudFormation, which is logged. */
export function isForged({ telemetry, isAnswerAddress }: AnswerRuntime, { type, responseUrl }: Request): boolean {
  if (isAnswerAddress(responseUrl)) return false;
  const host = URL.parse(responseUrl)?.host ?? 'no address';
  telemetry.error('event refused', new Error(`ResponseURL is not an address of CloudFormation: ${host}`), { type });
  return true;
}

const TRIES = 5;

/** *Errors:* an Error if the address does not accept the response after several tries. */
export async function putAnswer(url: string, body: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // The address is signed for a request without a content type. A redirect would leave CloudFormation's bucket.
      const answer = await fetch(url, { method: 'PUT', body, headers: { 'content-type': '' }, redirect: 'error' });
      if (answer.ok) return;
      throw new Error(`CloudFormation's address answered ${answer.status}`);
    } catch (error) {
      if (attempt === TRIES) throw error;
      await setTimeout(2 ** attempt * 250);
    }
  }
}
