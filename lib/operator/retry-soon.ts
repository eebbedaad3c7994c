import type { SQSRecord } from 'aws-lambda';
import { PortError } from '../ports/errors.ts';
import type { Telemetry } from './telemetry.ts';

export interface Retrying {
  readonly telemetry: Telemetry;
  /** Makes messages visible again after `seconds`, instead of after the queue's visibility timeout. */
  readonly retryAfter: (records: readonly Pick<SQSRecord, 'receiptHandle'>[], seconds: number) => Promise<void>;
}

/** The first retry comes quickly, for most failures are a moment's; the next leaves the service time to recover. */
const AFTER_SECONDS = [2, 20];

/**
 * Lets messages come again soon, if what failed may succeed unchanged. Best effort: else they come again later. After the
 * third receive they are dead letters.
 */
export async function retrySoon(runtime: Retrying, records: readonly SQSRecord[], failure: unknown): Promise<void> {
  const received = Math.max(...records.map(({ attributes }) => Number(attributes.ApproximateReceiveCount)));
  const seconds = AFTER_SECONDS[received - 1];
  if (!(failure instanceof PortError && failure.retryable) || seconds === undefined) return;
  try {
    await runtime.retryAfter(records, seconds);
  } catch (error) {
    runtime.telemetry.error('messages could not be made visible early', error, { messages: records.length });
  }
}
