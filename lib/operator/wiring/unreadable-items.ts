import { HOUR_MS } from '../../apis/formats/time.ts';
import type { Telemetry } from '../../controllers/run/telemetry.ts';
import type { Clock } from '../../ports/clock.ts';

/** Writes an item of the table that cannot be read to the log, once an hour: every run reads it, several times. */
export function unreadableItems(telemetry: Pick<Telemetry, 'error'>, clock: Clock): (error: Error) => void {
  const reported = new Map<string, number>();
  return (error) => {
    const nowMs = clock.now();
    if (nowMs - (reported.get(error.message) ?? -Infinity) < HOUR_MS) return;
    reported.set(error.message, nowMs);
    telemetry.error('item of the table set aside', error, {});
  };
}
