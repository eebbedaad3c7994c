import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { type BatchContext, batchWakes, type WakeTimes } from '../../../lib/core/provisioning/batch.ts';

const at = (nowMs: number, runAtMs?: number): BatchContext => ({ ...DEFAULT_SETTINGS, nowMs, runAtMs });
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

  test('is answered by a run that began half a second after it was sent, and not by an earlier one', () => {
    expect(batchWakes(wakes(0, 400), at(1_400, 901))).toEqual({ kind: 'answered' });
    expect(batchWakes(wakes(0, 400), at(1_400, 900))).toEqual({ kind: 'run' });
  });

  test('is not answered by a run that appears to begin in the future because of clock skew', () => {
    expect(batchWakes(wakes(0, 400), at(1_400, 1_401))).toEqual({ kind: 'run' });
    expect(batchWakes(wakes(0, 400), at(1_400, 600_000))).toEqual({ kind: 'run' });
  });

  test('that began before the last run begins with the wakes that this run may have missed', () => {
    expect(batchWakes(wakes(0, 10_250), at(10_300, 10_000))).toMatchObject({ kind: 'collect', sinceMs: 9_500 });
  });

  test('for a due time is answered by a run that began at that time, and not by an earlier one', () => {
    const due: WakeTimes = { firstMs: 0, lastMs: 0, sentMs: 0, dueMs: 30_000 };
    expect(batchWakes(due, at(31_000, 29_999))).toEqual({ kind: 'run' });
    expect(batchWakes(due, at(31_000, 30_000))).toEqual({ kind: 'answered' });
  });

  test('that was sent beside one for a due time is answered by a run that began half a second after it was sent', () => {
    const both: WakeTimes = { firstMs: 0, lastMs: 30_000, sentMs: 30_000, dueMs: 30_000 };
    expect(batchWakes(both, at(31_000, 30_400))).toEqual({ kind: 'run' });
    expect(batchWakes(both, at(31_000, 30_600))).toEqual({ kind: 'answered' });
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
