import type { PortError } from './errors.ts';

/** A message that failed in every delivery. */
export interface DeadLetter {
  readonly id: string;
  readonly body: string;
  /** When it was first sent, by the queue's clock. @default unknown */
  readonly sentAtMs?: number;
  /** Identifies this read. */
  readonly receipt: string;
}

/** A message that could not be sent, deleted or released, and why. */
export interface FailedLetter {
  readonly letter: DeadLetter;
  readonly error: PortError;
}

/** The largest number of messages that one `receive` returns. */
export const MAX_DEAD_LETTERS = 1_000;

/**
 * The dead letters of one queue. An action continues with the other messages after one that is refused, and returns those that
 * failed.
 *
 * *Errors:* UnreachableError, RefusedError, of `receive`.
 */
export interface DeadLetters {
  /** Hides the messages for a minute, so that a second reader does not get them. *Shape:* at most `MAX_DEAD_LETTERS`. */
  receive(): Promise<readonly DeadLetter[]>;
  /** Ends the hiding. */
  release(letters: readonly DeadLetter[]): Promise<readonly FailedLetter[]>;
  /** Sends them to their queue, then deletes them: a failure between the two sends a message twice, and loses none. */
  sendAgain(letters: readonly DeadLetter[]): Promise<readonly FailedLetter[]>;
  delete(letters: readonly DeadLetter[]): Promise<readonly FailedLetter[]>;
}
