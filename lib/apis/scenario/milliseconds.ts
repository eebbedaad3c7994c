import { parseDuration } from '../formats/duration.ts';

/** *Errors:* RangeError for text that validation rejects. */
export function milliseconds(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === undefined) throw new RangeError(`"${duration}" is not a duration; write it as 90s, 10m or 1h30m`);
  return ms;
}
