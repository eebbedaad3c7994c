import { CONCURRENT_BATCHES, type DeliveryPlan } from '../../core/delivery/deliveries.ts';
import type { QueuedMessage, Redelivery } from '../../ports/redelivery.ts';
import type { Cancel } from '../../ports/timer.ts';
import type { Timetable } from '../timetable.ts';

/** A queue in virtual time, with the function that it invokes. */
export interface SimulatedQueue extends Redelivery {
  send(body: string, delayMs?: number): void;
  /** The messages that failed in every delivery of the plan. */
  readonly deadLetters: readonly string[];
}

export interface SimulatedQueueOptions {
  readonly plan: DeliveryPlan;
  /** How long the event source mapping waits for more messages before it invokes. */
  readonly windowMs: number;
  /** One invocation of the function. *Shape:* the ids of the messages to deliver again. */
  readonly invoke: (messages: readonly QueuedMessage[]) => Promise<readonly string[]>;
}

type Waiting = Omit<QueuedMessage, 'receipt'>;

export function simulatedQueue(
  timetable: Timetable,
  { plan, windowMs, invoke }: SimulatedQueueOptions,
): SimulatedQueue {
  const deadLetters: string[] = [];
  /** Messages that were delivered and are invisible, by receipt. */
  const inFlight = new Map<string, { readonly message: Waiting; readonly cancel: Cancel }>();
  let sent = 0;
  const hide = (receipt: string, message: Waiting, forMs: number): void => {
    inFlight.get(receipt)?.cancel();
    const cancel = timetable.after(forMs, () => {
      inFlight.delete(receipt);
      if (message.receives >= plan.deliveries) deadLetters.push(message.body);
      else poll.arrive(message);
    });
    inFlight.set(receipt, { message, cancel });
  };
  const deliver = async (waiting: readonly Waiting[]): Promise<void> => {
    const messages = waiting.map((one) => {
      const message = { ...one, receives: one.receives + 1 };
      const receipt = `${message.id}/${message.receives}`;
      hide(receipt, message, plan.visibilityTimeoutMs);
      return { ...message, receipt };
    });
    const failed = new Set(await invoke(messages));
    for (const { id, receipt } of messages) {
      if (failed.has(id)) continue;
      inFlight.get(receipt)?.cancel();
      inFlight.delete(receipt);
    }
  };
  const poll = poller(timetable, { windowMs, batchSize: plan.batchSize, deliver });
  return {
    deadLetters,
    send(body, delayMs = 0) {
      sent += 1;
      const message = { id: `message-${sent}`, body, receives: 0, sentAtMs: timetable.now() };
      timetable.after(delayMs, () => poll.arrive(message));
    },
    async deliverAgain(messages, afterMs) {
      for (const { receipt, body } of messages) {
        if (receipt === undefined) {
          this.send(body, afterMs);
          continue;
        }
        const hidden = inFlight.get(receipt);
        if (hidden !== undefined) hide(receipt, hidden.message, afterMs);
      }
    },
  };
}

interface PollerOptions extends Pick<SimulatedQueueOptions, 'windowMs'> {
  readonly batchSize: number;
  /** Resolves when the invocation has ended. */
  readonly deliver: (batch: readonly Waiting[]) => Promise<void>;
}

/** Lambda adds up to 300 invocations a minute while messages wait. */
const GROWTH_MS = 200;

/**
 * The event source mapping of Lambda. The first message opens the window; all that come within it, or while no invocation is free, are one
 * batch.
 */
function poller(
  timetable: Timetable,
  { windowMs, batchSize, deliver }: PollerOptions,
): { readonly arrive: (message: Waiting) => void } {
  const visible: Waiting[] = [];
  let isOpen = false;
  let isGrowing = false;
  let running = 0;
  let atOnce = CONCURRENT_BATCHES;
  const deliverOne = async (): Promise<void> => {
    running += 1;
    await deliver(visible.splice(0, batchSize));
    running -= 1;
    if (!isOpen) await deliverAll();
  };
  const deliverAll = async (): Promise<void> => {
    if (visible.length === 0 && running < CONCURRENT_BATCHES) atOnce = CONCURRENT_BATCHES;
    const free = Math.min(atOnce - running, Math.ceil(visible.length / batchSize));
    const delivered = Array.from({ length: Math.max(0, free) }, deliverOne);
    if (visible.length > 0) growLater();
    await Promise.all(delivered);
  };
  const growLater = (): void => {
    if (isGrowing) return;
    isGrowing = true;
    timetable.after(GROWTH_MS, async () => {
      isGrowing = false;
      if (visible.length === 0) return;
      atOnce += 1;
      await deliverAll();
    });
  };
  return {
    arrive: (message) => {
      visible.push(message);
      if (isOpen) return;
      isOpen = true;
      timetable.after(windowMs, async () => {
        isOpen = false;
        await deliverAll();
      });
    },
  };
}
