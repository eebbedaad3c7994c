/** SQS messages, and the log and retries of a batch of them. */
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { WakeRuntime } from '../../lib/controllers/run/handle-wakes.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import type { MessageRuntime } from '../../lib/controllers/run/retry-soon.ts';
import { hungClusters } from '../../lib/core/delivery/hung-clusters.ts';
import { DEFAULT_SETTINGS } from '../../lib/core/model/settings.ts';

export function message(id: string, body: unknown, receiveCount = 1): SQSRecord {
  return {
    messageId: id,
    receiptHandle: `handle-${id}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      SentTimestamp: '0',
      SenderId: 'test',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-west-3:123456789012:wakes',
    awsRegion: 'eu-west-3',
  };
}

/** An invocation that has a minute left. */
export const CONTEXT = { getRemainingTimeInMillis: () => 60_000 };

export function failedOf({ batchItemFailures }: SQSBatchResponse): readonly string[] {
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

export interface Seen {
  readonly said: readonly string[];
  readonly retried: readonly { readonly ids: readonly string[]; readonly seconds: number }[];
}

export function recordingRuntime(): {
  readonly runtime: MessageRuntime & Pick<WakeRuntime, 'hung'>;
  readonly seen: Seen;
} {
  const said: string[] = [];
  const retried: Seen['retried'][number][] = [];
  return {
    runtime: {
      hung: hungClusters({ now: () => 0 }),
      telemetry: {
        report: (_, { cluster, failures }) => said.push(`report ${cluster} ${failures.length}`),
        failure: ({ cluster }) => said.push(`failure ${cluster}`),
        warn: (text) => said.push(text),
        error: (text) => said.push(text),
      },
      redelivery: {
        deliverAgain: async (messages, afterMs) => {
          retried.push({ ids: messages.map(({ receipt, body }) => receipt ?? body), seconds: afterMs / 1_000 });
        },
      },
    },
    seen: { said, retried },
  };
}

function unused(): never {
  throw new Error('not used here');
}

/** Ports of which only the clock may be called. A copy has no ports. */
export const UNUSED: ControllerPorts = Object.create({
  get cluster() {
    return unused();
  },
  get cloud() {
    return unused();
  },
  get store() {
    return unused();
  },
  get leases() {
    return unused();
  },
  get catalogue() {
    return unused();
  },
  get messages() {
    return unused();
  },
  clock: { now: () => 0 },
  settings: DEFAULT_SETTINGS,
});
