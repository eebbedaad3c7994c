import { HOUR_MS, MINUTE_MS } from '../../../../lib/apis/formats/time.ts';
import { unavailableKey } from '../../../../lib/core/instance-type/offerings/unavailable.ts';
import type { RuleOf } from '../../rule.ts';

const FIRST_PAUSE_MS = 3 * MINUTE_MS;
const LONGEST_PAUSE_MS = 30 * MINUTE_MS;

interface Known {
  readonly untilMs: number;
  /** The longest pause that its series has had at least. */
  readonly pauseMs: number;
}

/**
 * If an offering has no capacity after its mark has ended either, the next mark lasts twice as long, up to half an hour, so that a type
 * without capacity for hours is not asked for every few minutes (C35).
 */
export const marksGrow: RuleOf = ({ violate, story }) => {
  // The marks are read without strong consistency.
  if (story.faults.some(({ kind }) => kind === 'stale-reads')) return {};
  const known = new Map<string, Known>();
  // Another mark of the same offering may be written before this one is observed.
  const isTimed = !story.faults.some(({ kind }) => kind === 'table-steps');
  return {
    replaced: () => known.clear(),
    marked(marks) {
      for (const { untilMs, markedAtMs = untilMs, reason, ...mark } of marks) {
        const key = unavailableKey(mark);
        const before = known.get(key);
        const isNext =
          before !== undefined &&
          reason === 'InsufficientInstanceCapacity' &&
          markedAtMs >= before.untilMs &&
          markedAtMs < before.untilMs + HOUR_MS;
        const pauseMs = isNext ? Math.min(2 * before.pauseMs, LONGEST_PAUSE_MS) : (before?.pauseMs ?? FIRST_PAUSE_MS);
        if (isNext && isTimed && untilMs < markedAtMs + pauseMs)
          violate('the marks of an offering grow', `${key} is marked for ${untilMs - markedAtMs} ms`);
        known.set(key, {
          untilMs,
          pauseMs: before === undefined || markedAtMs < before.untilMs + HOUR_MS ? pauseMs : FIRST_PAUSE_MS,
        });
      }
    },
  };
};
