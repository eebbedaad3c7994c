import { HOUR_MS, MINUTE_MS } from '../../../apis/formats/time.ts';

const PAUSE_MS = { least: MINUTE_MS, most: HOUR_MS };

/**
 * E25: the pause after a failure. The first one is a minute; after a command that launched replacements, it is at least as long as they
 * took to fail. Each further one is twice as long, up to an hour. @param times the number of failures in a row
 */
export function pauseMs(times: number, tookMs = 0): number {
  return Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, tookMs) * 2 ** (times - 1));
}
