/** Takes back what was set for later. */
export type Cancel = () => void;

/**
 * The time of one invocation of a function.
 *
 * *Contract* (`test/contract/timer.ts`, run on every implementation):
 * - What was set for later is called once, not before its time, and not after it was cancelled.
 * - The remaining time falls as time passes.
 *
 * *Units:* milliseconds.
 */
export interface Timer {
  /** How long the invocation may still last before its platform stops it. */
  remainingMs(): number;
  after(delayMs: number, run: () => void): Cancel;
}
