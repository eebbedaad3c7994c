import { type CronSchedule, firesIn, isAlwaysOpen, nextFiring, parseCron } from '../../apis/formats/cron.ts';
import { parseDuration } from '../../apis/formats/duration.ts';
import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { DisruptionBudget } from '../../apis/node-pool.ts';

const MINUTES_PER_DAY = 24 * 60;
const MINUTES_PER_WEEK = 7 * MINUTES_PER_DAY;
/** 1 January 2000, the start of a leap year: a schedule that does not fire in this and the next five years never fires. */
const LEAP_YEAR_MS = 946_684_800_000;

/** When a budget is in force. */
export type Windows =
  | { readonly kind: 'always'; readonly because: string }
  | { readonly kind: 'weekly'; readonly schedule: CronSchedule; readonly durationMs: number }
  /** Windows that depend on dates, or an invalid schedule. */
  | { readonly kind: 'other' };

export function windowsOf({ schedule, duration }: DisruptionBudget): Windows {
  if (schedule === undefined || duration === undefined) return { kind: 'always', because: '' };
  const cron = parseCron(schedule);
  const durationMs = parseDuration(duration);
  if (cron === undefined || durationMs === undefined) return { kind: 'other' };
  if (nextFiring(cron, LEAP_YEAR_MS - 1) === undefined)
    return {
      kind: 'always',
      because: `, because "${schedule}" never fires, and Karpenter then treats the window as open`,
    };
  if (isAlwaysOpen(cron, durationMs))
    return { kind: 'always', because: `, because "${schedule}" fires again before the duration of ${duration} ends` };
  const byWeekdayAlone = cron.months.size === 12 && cron.daysOfMonth.size === 31 && !cron.eitherDay;
  return byWeekdayAlone ? { kind: 'weekly', schedule: cron, durationMs } : { kind: 'other' };
}

/** True if the windows together cover every minute of a week. *Cost:* O(minutes of a week) for each window. */
export function leaveNoPause(windows: readonly Windows[]): boolean {
  if (windows.some(({ kind }) => kind === 'always')) return true;
  const covered = new Uint8Array(MINUTES_PER_WEEK);
  for (const one of windows) if (one.kind === 'weekly') cover(covered, one.schedule, one.durationMs);
  return !covered.includes(0);
}

function cover(covered: Uint8Array, schedule: CronSchedule, durationMs: number): void {
  const length = Math.min(MINUTES_PER_WEEK, Math.floor(durationMs / MINUTE_MS));
  // The second pass covers the windows that continue into the next week.
  let openUntil = 0;
  for (let minute = 0; minute < 2 * MINUTES_PER_WEEK; minute += 1) {
    if (fires(schedule, minute % MINUTES_PER_WEEK)) openUntil = minute + length;
    if (minute < openUntil) covered[minute % MINUTES_PER_WEEK] = 1;
  }
}

function fires(schedule: CronSchedule, minuteOfWeek: number): boolean {
  const day = Math.floor(minuteOfWeek / MINUTES_PER_DAY);
  return schedule.daysOfWeek.has(day) && firesIn(schedule, minuteOfWeek % MINUTES_PER_DAY);
}
