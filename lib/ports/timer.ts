/** Cancels a scheduled call. */
export type Cancel = () => void;

/**
 * The time of one invocation of a function.
 *
 * *Contract* (`test/contract/timer.ts`, run on every implementation):
 * - A scheduled function is called once, not before its time, and not after it was cancelled.
 * - The remaining time decreases as time passes.
 *
 * *Units:* milliseconds.
 */
export interface Timer {
  /** The time until Lambda stops the invocation. */
  remainingMs(): number;
  after(delayMs: number, run: () => void): Cancel;
}
