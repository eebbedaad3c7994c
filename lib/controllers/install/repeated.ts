import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { PortError } from '../../ports/errors.ts';
import type { HasClock } from '../run/ports.ts';

export interface RepeatPorts extends HasClock {
  readonly pause: (ms: number) => Promise<void>;
  /** The time until Lambda stops the invocation. */
  readonly remainingMs: () => number;
}

/** A cluster that no longer exists does not answer either, and the stack must be deletable. */
const WITHIN_MS = 5 * MINUTE_MS;
const PAUSE_MS = 10 * SECOND_MS;
/** The time for the last repetition, which may wait two minutes for permissions, and for the steps that follow. */
const REST_MS = 3 * MINUTE_MS;

/**
 * Repeats work that fails without a refusal, such as a throttled call or one without an answer, for five minutes at most and
 * while the invocation has time. *Errors:* that of the last repetition; at once if it is not retryable.
 */
export async function repeated<T>(ports: RepeatPorts, work: () => Promise<T>): Promise<T> {
  const untilMs = ports.clock.now() + WITHIN_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const hasTime = ports.clock.now() + PAUSE_MS <= untilMs && ports.remainingMs() >= REST_MS + PAUSE_MS;
      if (!(error instanceof PortError && error.retryable && hasTime)) throw error;
    }
    await ports.pause(PAUSE_MS);
  }
}
