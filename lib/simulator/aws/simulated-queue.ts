import type { DeliveryPlan } from '../../core/delivery/deliveries.ts';
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
  let batch: Waiting[] | undefined;
  let sent = 0;
  /** The first message opens the window; all that come within it are one batch. */
  const arrive = (message: Waiting): void => {
    if (batch !== undefined) return void batch.push(message);
    const opened = [message];
    batch = opened;
    timetable.after(windowMs, async () => {
      batch = undefined;
      await deliver(opened);
    });
  };
  const hide = (receipt: string, message: Waiting, forMs: number): void => {
    inFlight.get(receipt)?.cancel();
    const cancel = timetable.after(forMs, () => {
      inFlight.delete(receipt);
      if (message.receives >= plan.deliveries) deadLetters.push(message.body);
      else arrive(message);
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
  return {
    deadLetters,
    send(body, delayMs = 0) {
      sent += 1;
      const message = { id: `message-${sent}`, body, receives: 0, sentAtMs: timetable.now() };
      timetable.after(delayMs, () => arrive(message));
    },
    async deliverAgain(messages, afterMs) {
      for (const { receipt } of messages) {
        const hidden = inFlight.get(receipt);
        if (hidden !== undefined) hide(receipt, hidden.message, afterMs);
      }
    },
  };
}
