import { afterEach, vi } from 'vitest';
import { systemTimer } from '../../lib/operator/lambda/system-timer.ts';
import { invocationTimer } from '../../lib/simulator/aws/simulated-lambda.ts';
import { timetableFrom } from '../../lib/simulator/timetable.ts';
import { timerContract } from './timer.ts';

afterEach(() => void vi.useRealTimers());

timerContract('the simulator', () => {
  const timetable = timetableFrom(0);
  return {
    timer: invocationTimer(timetable),
    pass: async (ms) => {
      timetable.after(ms, () => {});
      for (const untilMs = timetable.now() + ms; await timetable.step(untilMs); );
    },
  };
});

timerContract('the operator', () => {
  vi.useFakeTimers();
  const endsAtMs = Date.now() + 60_000;
  return {
    timer: systemTimer(() => endsAtMs - Date.now()),
    pass: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)),
  };
});
