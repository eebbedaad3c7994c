import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { answersUntil, type BatchContext, batchWakes, type WakeTimes } from '../../../lib/core/provisioning/batch.ts';

const at = (nowMs: number, runAtMs?: number, answersUntilMs?: number): BatchContext => ({
  ...DEFAULT_SETTINGS,
  nowMs,
  runAtMs,
  answersUntilMs,
});
const wakes = (firstMs: number, lastMs: number): WakeTimes => ({ firstMs, lastMs, sentMs: lastMs });

describe('a batch of wakes', () => {
  test('with one pod starts a run when the queue has collected', () => {
    expect(batchWakes(wakes(0, 0), at(1_000))).toEqual({ kind: 'run' });
  });

  test('with a recent last wake continues to collect, from its first wake', () => {
    expect(batchWakes(wakes(0, 900), at(1_000))).toEqual({ kind: 'collect', sinceMs: 0, lastMs: 900, delayMs: 0 });
  });

  test('that was delayed and got no more wakes starts a run once its last wake is old enough', () => {
    expect(batchWakes({ firstMs: 0, lastMs: 900, sentMs: 1_000 }, at(1_399))).toMatchObject({ kind: 'collect' });
    expect(batchWakes({ firstMs: 0, lastMs: 900, sentMs: 1_000 }, at(2_000))).toEqual({ kind: 'run' });
  });

  test('whose first wake is 10 s old starts a run, however recent the last', () => {
    expect(batchWakes(wakes(0, 9_998), at(9_999))).toMatchObject({ kind: 'collect' });
    expect(batchWakes(wakes(0, 9_999), at(10_000))).toEqual({ kind: 'run' });
  });

  test('with an idle time longer than the window of the queue is delayed for the rest of it (F17)', () => {
    const longIdle = { ...at(1_000), batchIdleMs: 5_000 };
    expect(batchWakes(wakes(0, 0), longIdle)).toEqual({ kind: 'collect', sinceMs: 0, lastMs: 0, delayMs: 2_500 });
    expect(batchWakes(wakes(0, 0), { ...longIdle, nowMs: 4_500 })).toEqual({ kind: 'run' });
  });

  test('is answered by a run that answers what was sent until then, and not by an earlier one', () => {
    expect(batchWakes(wakes(0, 400), at(1_400, 901, 400))).toEqual({ kind: 'answered' });
    expect(batchWakes(wakes(0, 400), at(1_400, 901, 399))).toEqual({ kind: 'run' });
  });

  test('is not answered by a run of an earlier version, which did not write until when it answers', () => {
    expect(batchWakes(wakes(0, 400), at(1_400, 1_300))).toEqual({ kind: 'run' });
  });

  test.each([-120_000, 120_000])(
    'is answered by the same runs if the clock of a function differs by %i ms',
    (aheadMs) => {
      const nowMs = 10_000 + aheadMs;
      expect(batchWakes(wakes(5_000, 5_000), at(nowMs, 6_000 + aheadMs, 4_999)).kind).not.toBe('answered');
      expect(batchWakes(wakes(5_000, 5_000), at(nowMs, 6_000 + aheadMs, 5_000))).toEqual({ kind: 'answered' });
    },
  );

  test('is not answered by a run that appears to begin in the future because of clock skew', () => {
    expect(batchWakes(wakes(0, 400), at(1_400, 1_401))).toEqual({ kind: 'run' });
    expect(batchWakes(wakes(0, 400), at(1_400, 600_000))).toEqual({ kind: 'run' });
  });

  test('that began before the last run begins with the wakes that this run may have missed', () => {
    expect(batchWakes(wakes(0, 10_250), at(10_300, 10_000))).toMatchObject({ kind: 'collect', sinceMs: 9_500 });
  });

  test('for a due time is answered by a run that began at that time, and not by an earlier one', () => {
    const due: WakeTimes = { firstMs: 0, lastMs: 0, sentMs: 0, dueMs: 30_000 };
    expect(batchWakes(due, at(31_000, 29_999, 29_000))).toEqual({ kind: 'run' });
    expect(batchWakes(due, at(31_000, 30_000, 29_000))).toEqual({ kind: 'answered' });
  });

  test('that was sent beside one for a due time is answered by a run that answers what was sent until then', () => {
    const both: WakeTimes = { firstMs: 0, lastMs: 30_000, sentMs: 30_000, dueMs: 30_000 };
    expect(batchWakes(both, at(31_000, 30_400, 29_999))).toEqual({ kind: 'run' });
    expect(batchWakes(both, at(31_000, 30_600, 30_000))).toEqual({ kind: 'answered' });
  });

  test.each([-1e15, 0, 5e14, 1e15])(
    'clock skew and message times delay a run by at most 10 s: sent at %d',
    (sentMs) => {
      let times = wakes(sentMs, sentMs);
      let nowMs = 500;
      for (;;) {
        const verdict = batchWakes(times, at(nowMs));
        if (verdict.kind !== 'collect') break;
        expect(nowMs).toBeLessThanOrEqual(10_500);
        nowMs += 1_000;
        times = { firstMs: Math.min(verdict.sinceMs, nowMs), lastMs: sentMs, sentMs };
      }
      expect(nowMs).toBeLessThanOrEqual(11_500);
    },
  );
});

describe('a run answers', () => {
  test('the wakes that began it, and those that were sent half a second before it observes', () => {
    expect(answersUntil({ sentMs: 5_000 }, { tookMs: 300, before: undefined })).toBe(5_000);
    expect(answersUntil({ sentMs: 5_000 }, { tookMs: 2_000, before: undefined })).toBe(6_500);
  });

  test('what an earlier run has answered, and nothing else if it is not known when its wakes were sent', () => {
    expect(answersUntil({ sentMs: 5_000 }, { tookMs: 0, before: 7_000 })).toBe(7_000);
    expect(answersUntil(undefined, { tookMs: 2_000, before: 7_000 })).toBe(7_000);
    expect(answersUntil(undefined, { tookMs: 2_000, before: undefined })).toBeUndefined();
  });
});
