import { describe, expect, test } from 'vitest';
import type { Timer } from '../../lib/ports/timer.ts';

export interface TimerHarness {
  /** The timer of an invocation with a time limit of one minute. */
  readonly timer: Timer;
  /** Advances the time. */
  readonly pass: (ms: number) => Promise<void>;
}

/** The doc comment of `lib/ports/timer.ts`, executed. */
export function timerContract(name: string, make: () => TimerHarness): void {
  describe(`Timer: ${name}`, () => {
    test('a scheduled function is called once, and not before its time', async () => {
      const { timer, pass } = make();
      let calls = 0;
      timer.after(1_000, () => void (calls += 1));
      await pass(999);
      expect(calls).toBe(0);
      await pass(10_000);
      expect(calls).toBe(1);
    });

    test('a cancelled function is not called, and a late cancellation changes nothing', async () => {
      const { timer, pass } = make();
      const calls: string[] = [];
      const cancel = timer.after(1_000, () => void calls.push('cancelled'));
      const cancelLate = timer.after(1_000, () => void calls.push('done'));
      cancel();
      await pass(2_000);
      cancelLate();
      cancel();
      expect(calls).toEqual(['done']);
    });

    test('the remaining time decreases as time passes', async () => {
      const { timer, pass } = make();
      const before = timer.remainingMs();
      await pass(15_000);
      expect([before, before - timer.remainingMs()]).toEqual([60_000, 15_000]);
    });
  });
}
