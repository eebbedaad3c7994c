/** A message as its queue delivers it. */
export interface QueuedMessage {
  readonly id: string;
  readonly body: string;
  /** The name of this delivery. */
  readonly receipt: string;
  /** How often it was delivered, this time included. */
  readonly receives: number;
  /** By the queue's clock. @default not known */
  readonly sentAtMs?: number;
}

/** How often a queue delivers a message before it moves it to the dead letters. */
export const MAX_RECEIVES = 3;

/**
 * When messages that were not handled are delivered again. A function names those messages in its answer. Each of them comes
 * again once its queue's visibility timeout is over, or earlier where this port was asked for it.
 *
 * *Contract* (`test/contract/redelivery.ts`): a message that is asked for comes again after that time and not before it, with
 * its receives one higher; after MAX_RECEIVES deliveries it is a dead letter.
 * *Errors:* UnreachableError, RefusedError.
 */
export interface Redelivery {
  deliverAgain(messages: readonly Pick<QueuedMessage, 'receipt'>[], afterMs: number): Promise<void>;
}
