/** A request of CloudFormation to a custom resource, and the response. */

import { setTimeout } from 'node:timers/promises';
import { ownField } from '../../apis/record.ts';

interface Request {
  readonly type: string;
  readonly responseUrl: string;
  /** What the response must repeat. */
  readonly ids: Readonly<Record<'StackId' | 'RequestId' | 'LogicalResourceId' | 'PhysicalResourceId', string>>;
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
  return { type, responseUrl: text('ResponseURL'), ids };
}

export function refusedAddress(responseUrl: string): Error {
  const host = URL.parse(responseUrl)?.host ?? 'no address';
  return new Error(`ResponseURL is not an address of CloudFormation: ${host}`);
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
