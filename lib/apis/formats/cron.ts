import { type CalendarDate, dateOfDay, datesOfYears, newYearsDay } from './calendar.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from './time.ts';

/** Five-field cron schedules and their shorthands, in UTC, as disruption budgets use them (A1.17). */
export interface CronSchedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly daysOfWeek: ReadonlySet<number>;
  /** As in cron: if both day fields are restricted, either one suffices. */
  readonly eitherDay: boolean;
}

const SHORTHANDS: Readonly<Record<string, string>> = {
  '@annually': '0 0 1 1 *',
  '@yearly': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Field {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: MONTHS },
  { least: 0, most: 6, names: DAYS },
];

/** The white space of Go. */
const SPACES = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** Parses a schedule. *Errors:* undefined where the text is not a schedule. */
export function parseCron(text: string): CronSchedule | undefined {
  const words = text.split(SPACES).filter((word) => word !== '');
  const [only = ''] = words;
  const shorthand = words.length === 1 && Object.hasOwn(SHORTHANDS, only) ? SHORTHANDS[only] : undefined;
  const parts = shorthand?.split(' ') ?? words;
  if (parts.length !== FIELDS.length) return undefined;
  const [minutes, hours, daysOfMonth, months, daysOfWeek] = FIELDS.map((field, index) =>
    parseField(parts[index] ?? '', field),
  );
  if (!minutes || !hours || !daysOfMonth || !months || !daysOfWeek) return undefined;
  return {
    minutes: minutes.values,
    hours: hours.values,
    daysOfMonth: daysOfMonth.values,
    months: months.values,
    daysOfWeek: daysOfWeek.values,
    eitherDay: !daysOfMonth.open && !daysOfWeek.open,
  };
}

interface Item {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  /** True for a star, which does not restrict the field. A star with a step (every second day) restricts it. */
  readonly open: boolean;
}

/** Parses the comma-separated items. Empty items are ignored, and a field with only empty items never matches. */
function parseField(text: string, field: Field): { values: ReadonlySet<number>; open: boolean } | undefined {
  const values = new Set<number>();
  let open = false;
  for (const word of text.split(',').filter((one) => one !== '')) {
    const item = parseItem(word, field);
    if (item === undefined) return undefined;
    for (let value = item.from; value <= item.to; value += item.step) values.add(value);
    open ||= item.open;
  }
  return { values, open };
}

function parseItem(text: string, field: Field): Item | undefined {
  const [span = '', stepText, ...more] = text.split('/');
  const step = stepText === undefined ? 1 : wholeNumber(stepText);
  if (more.length > 0 || step === undefined || step < 1) return undefined;
  const [first = '', last, ...rest] = span.split('-');
  // Text after the hyphen of a star is ignored.
  if (first === '*' || first === '?') return { from: field.least, to: field.most, step, open: step === 1 };
  const from = valueOf(first, field);
  // `5/15` continues to the end of the range, `5` is a single value.
  const to = last === undefined ? (stepText === undefined ? from : field.most) : valueOf(last, field);
  if (rest.length > 0 || from === undefined || to === undefined || from > to) return undefined;
  return { from, to, step, open: false };
}

function valueOf(text: string, { least, most, names = [] }: Field): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  const value = named === -1 ? wholeNumber(text) : named + least;
  return value !== undefined && value >= least && value <= most ? value : undefined;
}

const LARGEST_INT64 = '9223372036854775807';

/** A number in Go's syntax: digits with an optional plus sign, within 63 bits. */
function wholeNumber(text: string): number | undefined {
  if (!/^\+?\d+$/.test(text)) return undefined;
  const digits = text.replace(/^\+?0*/, '');
  const tooLarge = digits.length > 19 || (digits.length === 19 && digits > LARGEST_INT64);
  return tooLarge ? undefined : Number(digits);
}

const MINUTES_PER_DAY = DAY_MS / MINUTE_MS;
/** How many calendar years ahead Karpenter searches for a firing. */
const YEARS_AHEAD = 5;

/**
 * Returns the first time after `afterMs` at which the schedule fires; undefined where it does not fire in that year and the
 * next five. *Cost:* O(days until then).
 */
export function nextFiring(schedule: CronSchedule, afterMs: number): number | undefined {
  const fromMs = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
  const nextSecondMs = (Math.floor(afterMs / SECOND_MS) + 1) * SECOND_MS;
  const end = newYearsDay(dateOfDay(Math.floor(nextSecondMs / DAY_MS)).year + YEARS_AHEAD + 1);
  const firstDay = Math.floor(fromMs / DAY_MS);
  for (let day = firstDay; day < end; day += 1) {
    if (!firesOn(schedule, dateOfDay(day))) continue;
    const minute = nextMinute(schedule, day === firstDay ? (fromMs - day * DAY_MS) / MINUTE_MS : 0);
    if (minute !== undefined) return day * DAY_MS + minute * MINUTE_MS;
  }
  return undefined;
}

function firesOn(schedule: CronSchedule, { month, dayOfMonth, dayOfWeek }: CalendarDate): boolean {
  if (!schedule.months.has(month)) return false;
  const [byDate, byWeekday] = [schedule.daysOfMonth.has(dayOfMonth), schedule.daysOfWeek.has(dayOfWeek)];
  return schedule.eitherDay ? byDate || byWeekday : byDate && byWeekday;
}

/** The first minute of a day, starting at `from`, at which the schedule fires. */
function nextMinute(schedule: CronSchedule, from: number): number | undefined {
  for (let minute = from; minute < MINUTES_PER_DAY; minute += 1) if (firesIn(schedule, minute)) return minute;
  return undefined;
}

/** True if the schedule fires at this minute, on the days on which it fires. */
export function firesIn({ minutes, hours }: CronSchedule, minuteOfDay: number): boolean {
  return minutes.has(minuteOfDay % 60) && hours.has(Math.floor(minuteOfDay / 60));
}

/**
 * True while a window of a schedule is open. `next`: the first firing after a time. As in Karpenter, always true for a schedule that
 * does not fire within the years that are searched (E8).
 */
export function isWindowOpen(
  next: (afterMs: number) => number | undefined,
  durationMs: number,
  nowMs: number,
): boolean {
  const firing = next(nowMs - durationMs);
  return firing === undefined || firing <= nowMs;
}

/** Dates and weekdays repeat every 400 years. One more year covers the gap at the boundary. */
const [CYCLE_START, CYCLE_END] = [2000, 2400];

/**
 * True if the windows cover all time, in every year. *Cost:* O(days of a year) where only weekdays count, else at most
 * O(days of 400 years), some milliseconds.
 */
export function isAlwaysOpen(schedule: CronSchedule, durationMs: number): boolean {
  const minutes = [...Array(MINUTES_PER_DAY).keys()].filter((minute) => firesIn(schedule, minute));
  const [first, last] = [minutes.at(0), minutes.at(-1)];
  if (first === undefined || last === undefined) return true;
  const gapsInDay = minutes.some((minute, index) => (minute - (minutes[index - 1] ?? minute)) * MINUTE_MS > durationMs);
  const byWeekdayAlone = schedule.months.size === 12 && schedule.daysOfMonth.size === 31;
  let previousMs: number | undefined;
  for (const date of datesOfYears(CYCLE_START, byWeekdayAlone ? CYCLE_START : CYCLE_END)) {
    if (!firesOn(schedule, date)) continue;
    const firingMs = date.day * DAY_MS + first * MINUTE_MS;
    // A time with no firing within the years that Karpenter searches counts as open (E8).
    const seenFromMs = Math.max(previousMs ?? firingMs, newYearsDay(date.year - YEARS_AHEAD) * DAY_MS);
    if (gapsInDay || firingMs - seenFromMs > durationMs) return false;
    previousMs = date.day * DAY_MS + last * MINUTE_MS;
  }
  return true;
}
