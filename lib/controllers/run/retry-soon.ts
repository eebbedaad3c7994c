import { SECOND_MS } from '../../apis/formats/time.ts';
import { PortError } from '../../ports/errors.ts';
import type { QueuedMessage, Redelivery } from '../../ports/redelivery.ts';
import type { Telemetry } from './telemetry.ts';

/** What a function needs to answer for its messages. */
export interface MessageRuntime {
  readonly telemetry: Telemetry;
  readonly redelivery: Redelivery;
}

/** The first retry comes quickly, since most failures are short; the second leaves the service time to recover. */
const AFTER_MS = [2 * SECOND_MS, 20 * SECOND_MS];

/**
 * Lets messages come again soon where what failed may succeed unchanged. Best effort: otherwise they come again after the
 * visibility timeout. After the third receive they are dead letters.
 */
export async function retrySoon(
  { redelivery, telemetry }: MessageRuntime,
  messages: readonly QueuedMessage[],
  failure: unknown,
): Promise<void> {
  const afterMs = AFTER_MS[Math.max(...messages.map(({ receives }) => receives)) - 1];
  if (!(failure instanceof PortError && failure.retryable) || afterMs === undefined) return;
  try {
    await redelivery.deliverAgain(messages, afterMs);
  } catch (error) {
    telemetry.error('failed to make messages visible early', error, { messages: messages.length });
  }
}
