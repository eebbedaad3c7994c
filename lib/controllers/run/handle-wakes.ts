/** The shell of an invocation: a batch of wakes becomes one run for each cluster. The failure of one cluster does not affect others. */
import { WAKE_PLAN } from '../../core/delivery/deliveries.ts';
import { HUNG_PAUSE_MS, type HungClusters } from '../../core/delivery/hung-clusters.ts';
import { isConflict } from '../../ports/errors.ts';
import type { QueuedMessage, Redelivery } from '../../ports/redelivery.ts';
import type { Timer } from '../../ports/timer.ts';
import { timedRun } from '../record/timed-run.ts';
import { waitsOf } from '../wait/waits.ts';
import { AbandonedError, withinTime } from '../wait/within-time.ts';
import { type CoalescedWake, coalesceWakes, parseWake } from './coalesce-wakes.ts';
import type { ControllerPorts, Reconcile } from './ports.ts';
import { deliverAgain, type MessageRuntime, retrySoon } from './retry-soon.ts';

export interface WakeRuntime extends MessageRuntime {
  /** *Shape:* undefined for a cluster that is not configured. */
  readonly portsOf: (cluster: string) => Promise<ControllerPorts | undefined>;
  /** Called at the end of each run, to stop its background work before the function answers. @default no background work */
  readonly endRun?: (cluster: string) => void;
  readonly hung: HungClusters;
}

export interface Invocation {
  readonly messages: readonly QueuedMessage[];
  readonly timer: Timer;
}

/**
 * Runs `reconcile` for a wake that a schedule has sent to the function itself. A wake that fails is sent to the queue of the function,
 * which delivers it by its plan. *Errors:* those of sending it: then Lambda repeats the invocation after a minute.
 */
export async function handleTick(
  runtime: WakeRuntime,
  { tick, timer }: { readonly tick: unknown; readonly timer: Timer },
  reconcile: Reconcile,
): Promise<void> {
  // Without the time when it was sent, its run waits for no other wake.
  const message = { id: 'tick', body: JSON.stringify(tick), receives: 1 };
  let isSent = false;
  const redelivery: Redelivery = {
    async deliverAgain(messages, afterMs) {
      await runtime.redelivery.deliverAgain(messages, afterMs);
      isSent = true;
    },
  };
  const failed = await handleWakes({ ...runtime, redelivery }, { messages: [message], timer }, reconcile);
  if (failed.length > 0 && !isSent) await runtime.redelivery.deliverAgain([message], WAKE_PLAN.visibilityTimeoutMs);
}

/** Runs `reconcile` once for each cluster that the messages name. *Shape:* the ids of the messages to deliver again. */
export async function handleWakes(
  runtime: WakeRuntime,
  { messages, timer }: Invocation,
  reconcile: Reconcile,
): Promise<readonly string[]> {
  const { clusters, malformed } = groupWakes(messages);
  for (const { id, body } of malformed) {
    runtime.telemetry.error('a message is not a wake', new TypeError(body), { messageId: id });
  }
  const failed = await Promise.all(
    clusters.map(async (woken) => ((await runOnce(runtime, timer, { woken, reconcile })) ? [] : woken.messages)),
  );
  return [...malformed, ...failed.flat()].map(({ id }) => id);
}

interface WokenCluster {
  readonly wake: CoalescedWake;
  readonly messages: readonly QueuedMessage[];
}

/** *Shape:* one entry for each cluster. It names a claim only if every wake of the cluster names this claim. @internal */
export function groupWakes(messages: readonly QueuedMessage[]): {
  readonly clusters: readonly WokenCluster[];
  readonly malformed: readonly QueuedMessage[];
} {
  const parsed = messages.map((message) => ({ message, sent: parseWake(message) }));
  const malformed = parsed.filter(({ sent }) => sent === undefined).map(({ message }) => message);
  const clusters = [...Map.groupBy(parsed, ({ sent }) => sent?.wake.cluster)].flatMap(([cluster, group]) => {
    if (cluster === undefined) return [];
    const wake = coalesceWakes(
      cluster,
      group.flatMap(({ sent }) => sent ?? []),
    );
    return [{ wake, messages: group.map(({ message }) => message) }];
  });
  return { clusters, malformed };
}

/** *Shape:* false if the messages of the cluster must be delivered again. Never throws. */
async function runOnce(
  runtime: WakeRuntime,
  timer: Timer,
  { woken, reconcile }: { readonly woken: WokenCluster; readonly reconcile: Reconcile },
): Promise<boolean> {
  const { wake, messages } = woken;
  const pauseMs = runtime.hung.pauseMs(wake.cluster);
  if (pauseMs > 0) {
    runtime.telemetry.warn('wake put off: the last run of the cluster was abandoned', { ...wake, pauseMs });
    await deliverAgain(runtime, messages, pauseMs);
    return false;
  }
  try {
    const ports = await withinTime(timer, runtime.portsOf(wake.cluster));
    if (ports === undefined) {
      runtime.telemetry.warn('dropped a wake for a cluster that is not configured', { ...wake });
      return true;
    }
    const timed = timedRun(runtime, timer);
    const report = await withinTime(timer, reconcile({ ...ports, waits: waitsOf(timer) }, wake));
    runtime.telemetry.report(wake, report);
    runtime.hung.finished(wake.cluster);
    await timed.record(wake, report, ports);
    return true;
  } catch (error) {
    // A conflict of two runs does not need an alarm: the next run is soon.
    if (isConflict(error)) runtime.telemetry.warn('conflict: the wake is retried', { ...wake, why: String(error) });
    else runtime.telemetry.failure(wake, error);
    await returnWakes(runtime, woken, error);
    return false;
  } finally {
    runtime.endRun?.(wake.cluster);
  }
}

/** A cluster that hung would hang again in two seconds, in this process or in another. */
async function returnWakes(runtime: WakeRuntime, { wake, messages }: WokenCluster, failure: unknown): Promise<void> {
  if (!(failure instanceof AbandonedError)) return retrySoon(runtime, messages, failure);
  runtime.hung.abandoned(wake.cluster);
  await deliverAgain(runtime, messages, HUNG_PAUSE_MS);
}
