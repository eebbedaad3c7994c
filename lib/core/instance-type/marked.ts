import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../apis/time.ts';
import { UNAVAILABLE_MS } from './unavailable.ts';

/** What is remembered of the marks on one offering. */
export interface Marked {
  readonly markedAtMs: number;
  readonly untilMs: number;
  /** How often in a row it was tried again and had no capacity still. */
  readonly strikes: number;
}

/** kubernetes-sigs/karpenter#3198: a type that is missing for hours must not be tried every three minutes. */
const LONGEST_MS = 30 * MINUTE_MS;
/** How long after its end a mark still counts as the one before. */
export const REMEMBERED_MS = HOUR_MS;
/** Ten claims that fail at once are one event, and one write. */
const ONE_EVENT_MS = 10 * SECOND_MS;

/** EC2 tries a few of the lines of a fleet and says this of the rest, whatever is to be had there (C33). */
export const NOT_TRIED = 'UnfulfillableCapacity';

/**
 * The memory of an offering once it was seen without capacity at `atMs`: 3 minutes the first time, twice as long each time
 * that it is tried after that and still lacks capacity, up to 30 minutes; never longer than 3 where EC2 did not try it. An hour after the last mark ended it is forgotten.
 * *Shape:* a mark within a running one is news of the same outage: it adds no strike and ends nothing earlier; the very
 * object that came in, where it teaches nothing. *Source:* C32, C35; kubernetes-sigs/karpenter#3198.
 */
export function marked(previous: Marked | undefined, atMs: number, reason = ''): Marked {
  if (previous === undefined || atMs >= previous.untilMs + REMEMBERED_MS) {
    return { markedAtMs: atMs, untilMs: atMs + UNAVAILABLE_MS, strikes: 1 };
  }
  if (atMs - previous.markedAtMs < ONE_EVENT_MS) return previous;
  if (atMs < previous.untilMs) {
    return { ...previous, markedAtMs: atMs, untilMs: Math.max(previous.untilMs, atMs + UNAVAILABLE_MS) };
  }
  if (reason === NOT_TRIED) return { ...previous, markedAtMs: atMs, untilMs: atMs + UNAVAILABLE_MS };
  const strikes = previous.strikes + 1;
  const pauseMs = Math.min(UNAVAILABLE_MS * 2 ** (strikes - 1), LONGEST_MS);
  return { markedAtMs: atMs, untilMs: atMs + pauseMs, strikes };
}
