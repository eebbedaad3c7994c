import type { Messages } from '../../../ports/messages.ts';
import type { EventBridgeDecisionBus } from './decision-bus.ts';
import type { SqsWakeQueue } from './wake-queue.ts';

/** Wakes over SQS, those of the catalogue and decisions over EventBridge. */
export function awsMessages(queue: SqsWakeQueue, bus: EventBridgeDecisionBus): Messages {
  return {
    wake: (target, wake, delayMs) =>
      target === 'catalogue' ? bus.wakeCatalogue(wake) : queue.wake(target, wake, delayMs),
    publish: (decision) => bus.publish(decision),
  };
}
