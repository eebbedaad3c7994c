/** Simulates a wake queue and its event source mapping in real time: what SQS and Lambda do between a message and a call. */
import { randomUUID } from 'node:crypto';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Messages, Wake, WakeTarget } from '../../lib/ports/messages.ts';

const WINDOW_MS = 1_000;
const BATCH_SIZE = 1_000;
const MAX_CONCURRENCY = 2;
const RETRY_MS = 2_000;

export interface PlayedQueue extends Messages {
  /** Messages and calls in progress. */
  readonly isBusy: () => boolean;
  readonly calls: () => number;
}

/** The queue of one function. Messages to other functions are dropped. */
export function playQueue(target: WakeTarget, handle: (event: SQSEvent) => Promise<SQSBatchResponse>): PlayedQueue {
  let waiting: SQSRecord[] = [];
  let [delayed, running, calls, isOpen] = [0, 0, 0, false];
  const arrive = (record: SQSRecord): void => {
    waiting.push(record);
    if (waiting.length >= BATCH_SIZE) void call();
    else if (!isOpen) {
      isOpen = true;
      setTimeout(() => void call(), WINDOW_MS);
    }
  };
  const later = (record: SQSRecord, ms: number): void => {
    delayed += 1;
    setTimeout(() => {
      delayed -= 1;
      arrive(record);
    }, ms);
  };
  const call = async (): Promise<void> => {
    isOpen = false;
    if (waiting.length === 0 || running === MAX_CONCURRENCY) return;
    const Records = waiting.splice(0, BATCH_SIZE);
    running += 1;
    calls += 1;
    const { batchItemFailures } = await handle({ Records });
    running -= 1;
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const record of Records.filter(({ messageId }) => failed.has(messageId))) later(record, RETRY_MS);
    // Messages that waited for a free invocation do not wait for the batching window again.
    if (!isOpen) void call();
  };
  return {
    isBusy: () => waiting.length > 0 || delayed > 0 || running > 0,
    calls: () => calls,
    publish: async () => {},
    wake: async (to, wake, delayMs = 0) => {
      if (to !== target) return;
      const record = recordOf(wake, Date.now());
      if (delayMs > 0) later(record, Math.ceil(delayMs / 1_000) * 1_000);
      else arrive(record);
    },
  };
}

function recordOf(wake: Wake, sentAtMs: number): SQSRecord {
  return {
    messageId: randomUUID(),
    receiptHandle: 'played',
    body: JSON.stringify(wake),
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(sentAtMs),
      SenderId: 'played',
      ApproximateFirstReceiveTimestamp: String(sentAtMs),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:played',
    awsRegion: 'us-east-1',
  };
}
