import { SECOND_MS } from '../../apis/formats/time.ts';
import { WAKE_PLAN } from '../../core/delivery/deliveries.ts';
import type { Decision } from '../../core/model/decision.ts';
import { MAX_DELAY_MS, type Messages, type WakeTarget } from '../../ports/messages.ts';
import type { QueuedMessage } from '../../ports/redelivery.ts';
import type { Timetable } from '../timetable.ts';
import { type SimulatedQueue, simulatedQueue } from './simulated-queue.ts';

const BATCH_WINDOW_MS = SECOND_MS;

/** The wake queues and the decision bus, in virtual time. */
export interface SimulatedMessages extends Messages {
  readonly queues: Readonly<Record<WakeTarget, SimulatedQueue>>;
}

export interface Deliver {
  /** One invocation of the target. *Shape:* the ids of the messages to deliver again. */
  readonly wakes: (target: WakeTarget, messages: readonly QueuedMessage[]) => Promise<readonly string[]>;
  readonly decision: (decision: Decision) => void;
}

export function simulatedMessages(timetable: Timetable, deliver: Deliver): SimulatedMessages {
  const queueOf = (target: WakeTarget, windowMs = BATCH_WINDOW_MS): SimulatedQueue =>
    simulatedQueue(timetable, {
      plan: WAKE_PLAN,
      windowMs,
      invoke: async (messages) => deliver.wakes(target, messages),
    });
  const queues = {
    provisioning: queueOf('provisioning'),
    lifecycle: queueOf('lifecycle'),
    disruption: queueOf('disruption'),
    termination: queueOf('termination'),
    // Its events wait in a queue of Lambda, with as many deliveries.
    // The first refresh is complete before the first pod is placed, as after a deployment.
    catalogue: queueOf('catalogue', 0),
  };
  return {
    queues,
    wake: async (target, wake, delayMs = 0) =>
      queues[target].send(JSON.stringify(wake), Math.min(delayMs, MAX_DELAY_MS)),
    async publish(decision) {
      deliver.decision(decision);
    },
  };
}
