import { type CronSchedule, nextFiring, parseCron } from './cron.ts';
import { parseDuration } from './duration.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';

/** The schedule of a CronJob. *Shape:* the first time after the given one; undefined if there is none. */
export type JobSchedule = (afterMs: number) => number | undefined;

/** Parses the schedule of a CronJob: cron with five fields, a shorthand, or `@every 90m`. *Errors:* undefined for other text. */
export function parseJobSchedule(text: string, timeZone = 'UTC'): JobSchedule | undefined {
  const every = /^@every (.+)$/.exec(text)?.[1];
  if (every !== undefined) return repeated(parseDuration(every));
  const cron = parseCron(text);
  return cron === undefined ? undefined : inTimeZone(cron, timeZone);
}

/** The times of a schedule by the clocks of a time zone, with an IANA name. *Errors:* undefined for an unknown zone. */
export function inTimeZone(cron: CronSchedule, timeZone: string): JobSchedule | undefined {
  const offsetAt = offsetIn(timeZone);
  if (offsetAt === undefined) return undefined;
  return (afterMs) => {
    let [fromMs, offsetMs] = [afterMs, offsetAt(afterMs)];
    for (;;) {
      const localMs = nextFiring(cron, fromMs + offsetMs);
      if (localMs === undefined) return undefined;
      const changeMs = nextChange(offsetAt, { fromMs: fromMs + 1, untilMs: localMs - offsetMs, offsetMs });
      if (changeMs === undefined) return localMs - offsetMs;
      [fromMs, offsetMs] = [changeMs - 1, offsetAt(changeMs)];
    }
  };
}

export function isTimeZone(name: string): boolean {
  return offsetIn(name) !== undefined;
}

/** Go rounds the time down to whole seconds, at least one. */
function repeated(everyMs: number | undefined): JobSchedule | undefined {
  if (everyMs === undefined) return undefined;
  const ms = Math.max(SECOND_MS, Math.floor(everyMs / SECOND_MS) * SECOND_MS);
  return (afterMs) => Math.floor(afterMs / SECOND_MS) * SECOND_MS + ms;
}

type Offset = (ms: number) => number;

/** The difference between the clocks of a time zone and UTC. *Errors:* undefined for an unknown zone. */
function offsetIn(timeZone: string): Offset | undefined {
  if (timeZone === 'UTC') return () => 0;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    return (ms) => {
      const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
      const [, sign, hours = '0', minutes = '0'] = /^GMT([+-])(\d+):(\d+)/.exec(name) ?? [];
      return (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS) * (sign === '-' ? -1 : 1);
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly offsetMs: number;
}

/** The first time of the span at which the clocks differ from the offset. *Cost:* O(days). */
function nextChange(offsetAt: Offset, { fromMs, untilMs, offsetMs }: Span): number | undefined {
  let before = fromMs;
  for (;;) {
    const after = Math.min(before + DAY_MS, untilMs);
    if (offsetAt(after) !== offsetMs) return firstChange(offsetAt, { fromMs: before, untilMs: after, offsetMs });
    if (after >= untilMs) return undefined;
    before = after;
  }
}

function firstChange(offsetAt: Offset, { fromMs, untilMs, offsetMs }: Span): number {
  let [same, other] = [fromMs - 1, untilMs];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(middle) === offsetMs) same = middle;
    else other = middle;
  }
  return other;
}
