import type { Decision } from '../../core/action.ts';
import { LONGEST_DELAY_MS, type Messages, type ReceivedWake, type WakeTarget } from '../../ports/messages.ts';
import type { Timetable } from '../timetable.ts';

/** The event source mapping waits this long for more messages before it invokes. */
const BATCH_WINDOW_MS = 1_000;

/** The wake queues and the decision bus, in virtual time. */
export interface SimulatedMessages extends Messages {
  readonly published: readonly Decision[];
}

export interface Deliver {
  readonly wakes: (target: WakeTarget, wakes: readonly ReceivedWake[]) => Promise<void>;
  readonly decision: (decision: Decision) => void;
}

export function simulatedMessages(timetable: Timetable, deliver: Deliver): SimulatedMessages {
  const waiting = new Map<WakeTarget, ReceivedWake[]>();
  const published: Decision[] = [];
  /** The first message opens the window; all that come within it are one batch. */
  const arrive = (target: WakeTarget, wake: ReceivedWake): void => {
    const batch = waiting.get(target);
    if (batch !== undefined) return void batch.push(wake);
    waiting.set(target, [wake]);
    timetable.after(BATCH_WINDOW_MS, async () => {
      const wakes = waiting.get(target) ?? [];
      waiting.delete(target);
      await deliver.wakes(target, wakes);
    });
  };
  return {
    published,
    async wake(target, wake, delayMs = 0) {
      const sentAtMs = timetable.now();
      timetable.after(Math.min(delayMs, LONGEST_DELAY_MS), () => arrive(target, { ...wake, sentAtMs }));
    },
    async publish(decision) {
      published.push(decision);
      deliver.decision(decision);
    },
  };
}
