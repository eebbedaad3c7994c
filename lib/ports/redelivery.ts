/** A message as its queue delivers it. */
export interface QueuedMessage {
  readonly id: string;
  readonly body: string;
  /** Identifies this delivery. @default it came from a schedule, and is in no queue */
  readonly receipt?: string;
  /** The number of deliveries, including this one. */
  readonly receives: number;
  /** By the queue's clock. @default unknown */
  readonly sentAtMs?: number;
}

/**
 * Decides when failed messages are delivered again. A function names the failed messages in its answer. A queue delivers them
 * again after its visibility timeout, or earlier through this port. A message without a receipt is sent to the queue.
 *
 * *Contract* (`test/contract/redelivery.ts`): the message is delivered again after that time and not before it, with its
 * receives one higher. After the last delivery of the queue's plan it is moved to the dead-letter queue. A message without a receipt
 * gets all deliveries of the plan.
 * *Errors:* UnreachableError, RefusedError.
 */
export interface Redelivery {
  deliverAgain(messages: readonly Pick<QueuedMessage, 'receipt' | 'body'>[], afterMs: number): Promise<void>;
}
