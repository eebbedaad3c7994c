/** A message that failed in every delivery. */
export interface DeadLetter {
  readonly id: string;
  readonly body: string;
  /** When it was first sent, by the queue's clock. @default unknown */
  readonly sentAtMs?: number;
  /** Identifies this read. */
  readonly receipt: string;
}

/**
 * The dead letters of one queue.
 *
 * *Errors:* UnreachableError, RefusedError.
 */
export interface DeadLetters {
  /** Hides the messages for a minute, so that a second reader does not get them. */
  receive(): Promise<readonly DeadLetter[]>;
  /** Ends the hiding. */
  release(letters: readonly DeadLetter[]): Promise<void>;
  /** Sends them to their queue, then deletes them: a failure between the two sends a message twice, and loses none. */
  sendAgain(letters: readonly DeadLetter[]): Promise<void>;
  delete(letters: readonly DeadLetter[]): Promise<void>;
}
