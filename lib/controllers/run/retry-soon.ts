import { SECOND_MS } from '../../apis/formats/time.ts';
import { PortError } from '../../ports/errors.ts';
import type { QueuedMessage, Redelivery } from '../../ports/redelivery.ts';
import type { Telemetry } from './telemetry.ts';

/** What the handling of messages needs. */
export interface MessageRuntime {
  readonly telemetry: Telemetry;
  readonly redelivery: Redelivery;
}

/** The first retry is early, because most failures are short. The second gives the service time to recover. */
const AFTER_MS = [2 * SECOND_MS, 20 * SECOND_MS];

/**
 * Delivers messages again soon if the failure is retryable. Best effort: otherwise they are delivered again after the visibility
 * timeout. After the third delivery they are moved to the dead-letter queue.
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
