import type { Timer } from '../../ports/timer.ts';

/** The machine's time. @param remainingMs of the invocation, as its platform has it */
export function systemTimer(remainingMs: Timer['remainingMs']): Timer {
  return { remainingMs, after: afterSystemTime };
}

export const afterSystemTime: Timer['after'] = (delayMs, run) => {
  const timeout = setTimeout(run, delayMs);
  return () => clearTimeout(timeout);
};
