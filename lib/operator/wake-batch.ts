/** A batch of wakes becomes one run for each cluster; what fails is told apart by cluster, so that one never fails another. */
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type CoalescedWake, coalesceWakes } from '../controllers/coalesce-wakes.ts';
import type { ControllerPorts, Reconcile } from '../controllers/ports.ts';
import { isOvertaken, UnreachableError } from '../ports/errors.ts';
import type { ReceivedWake } from '../ports/messages.ts';
import { type Retrying, retrySoon } from './retry-soon.ts';

export interface WakeRuntime extends Retrying {
  /** Undefined for a cluster that this deployment does not serve (any more). */
  readonly portsOf: (cluster: string) => Promise<ControllerPorts | undefined>;
  /** Whatever became of it: nothing of a run goes on when the function has answered. @default nothing can */
  readonly endRun?: (cluster: string) => void;
}

export interface WakeBatch {
  readonly event: SQSEvent;
  readonly context: Pick<Context, 'getRemainingTimeInMillis'>;
}

/** What the function needs to answer after a run was given up. */
const RESERVE_MS = 3_000;

/** Runs `reconcile` once for each cluster that the batch names. *Shape:* the messages to be delivered again. */
export async function answerWakes(
  runtime: WakeRuntime,
  batch: WakeBatch,
  reconcile: Reconcile,
): Promise<SQSBatchResponse> {
  const { clusters, malformed } = groupWakes(batch.event.Records);
  for (const record of malformed) {
    runtime.telemetry.error('a message is not a wake', new TypeError(record.body), { messageId: record.messageId });
  }
  const failed = await Promise.all(
    clusters.map(async (woken) => ((await runOnce(runtime, batch.context, { woken, reconcile })) ? [] : woken.records)),
  );
  return {
    batchItemFailures: [...malformed, ...failed.flat()].map(({ messageId }) => ({ itemIdentifier: messageId })),
  };
}

interface WokenCluster {
  readonly wake: CoalescedWake;
  readonly records: readonly SQSRecord[];
}

/** *Shape:* one entry for each cluster; it names a claim only where every wake of the cluster names that one. @internal */
export function groupWakes(records: readonly SQSRecord[]): {
  readonly clusters: readonly WokenCluster[];
  readonly malformed: readonly SQSRecord[];
} {
  const wakes = records.map((record) => ({ record, wake: parseWake(record) }));
  const byCluster = Map.groupBy(wakes, ({ wake }) => wake?.cluster);
  const malformed = (byCluster.get(undefined) ?? []).map(({ record }) => record);
  const clusters = [...byCluster].flatMap(([cluster, group]) => {
    if (cluster === undefined) return [];
    const wake = coalesceWakes(
      cluster,
      group.flatMap((one) => (one.wake === undefined ? [] : [one.wake])),
    );
    return [{ wake, records: group.map(({ record }) => record) }];
  });
  return { clusters, malformed };
}

function parseWake({ body, attributes }: SQSRecord): ReceivedWake | undefined {
  let wake: unknown;
  try {
    wake = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof wake !== 'object' || wake === null) return undefined;
  const { cluster, reason, nodeClaim, sinceMs, lastMs, dueMs }: Partial<Record<keyof ReceivedWake, unknown>> = wake;
  if (typeof cluster !== 'string' || cluster === '' || typeof reason !== 'string') return undefined;
  if (nodeClaim !== undefined && typeof nodeClaim !== 'string') return undefined;
  if (!isAbsentOrTime(sinceMs) || !isAbsentOrTime(lastMs) || !isAbsentOrTime(dueMs)) return undefined;
  const sentAtMs = Number(attributes.SentTimestamp);
  return {
    cluster,
    reason,
    ...(nodeClaim !== undefined && { nodeClaim }),
    ...(sinceMs !== undefined && { sinceMs }),
    ...(lastMs !== undefined && { lastMs }),
    ...(dueMs !== undefined && { dueMs }),
    ...(sentAtMs > 0 && { sentAtMs }),
  };
}

function isAbsentOrTime(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value));
}

/** *Shape:* false where the cluster's messages must come again. Never throws. */
async function runOnce(
  runtime: WakeRuntime,
  context: WakeBatch['context'],
  { woken, reconcile }: { readonly woken: WokenCluster; readonly reconcile: Reconcile },
): Promise<boolean> {
  const { wake, records } = woken;
  try {
    const ports = await runtime.portsOf(wake.cluster);
    if (ports === undefined) {
      runtime.telemetry.warn('a wake for a cluster that is not served is dropped', { ...wake });
      return true;
    }
    const report = await within(context.getRemainingTimeInMillis() - RESERVE_MS, reconcile(ports, wake));
    runtime.telemetry.report(wake, report);
    return true;
  } catch (error) {
    // Nobody on call is to be woken because two runs met: the next look is soon.
    if (isOvertaken(error)) runtime.telemetry.warn('another run was faster', { ...wake, why: String(error) });
    else runtime.telemetry.failure(wake, error);
    await retrySoon(runtime, records, error);
    return false;
  } finally {
    runtime.endRun?.(wake.cluster);
  }
}

/** A cluster whose API hangs must not take the batch's other clusters into the function's timeout. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new UnreachableError(`the run was given up after ${ms} ms: the function's time is over`));
  }, ms);
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}
