import { MINUTE_MS, utcFields } from './time.ts';

/** Five-field cron schedules and their shorthands, in UTC, as disruption budgets use them (A1.17). */
export interface CronSchedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly daysOfWeek: ReadonlySet<number>;
  /** Cron's oddity: with both day fields restricted, either one suffices. */
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

/** *Errors:* undefined where the text is no schedule. */
export function parseCron(text: string): CronSchedule | undefined {
  const parts = (Object.hasOwn(SHORTHANDS, text.trim()) ? (SHORTHANDS[text.trim()] ?? '') : text).trim().split(/\s+/);
  if (parts.length !== FIELDS.length) return undefined;
  const sets = FIELDS.map((field, index) => parseField(parts[index] ?? '', field));
  const [minutes, hours, daysOfMonth, months, daysOfWeek] = sets;
  if (!minutes || !hours || !daysOfMonth || !months || !daysOfWeek) return undefined;
  return { minutes, hours, daysOfMonth, months, daysOfWeek, eitherDay: !starred(parts[2]) && !starred(parts[4]) };
}

/** A star in any item of the field leaves it open; a stepped one (every second day) restricts like any list. */
function starred(part = ''): boolean {
  return part.split(',').some((item) => /^[*?](\/0*1)?$/.test(item));
}

function parseField(text: string, field: Field): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const range = parseItem(item, field);
    if (range === undefined) return undefined;
    for (let value = range.from; value <= range.to; value += range.step) values.add(value);
  }
  return values;
}

function parseItem(item: string, field: Field): { from: number; to: number; step: number } | undefined {
  const [span = '', stepText, ...more] = item.split('/');
  if (more.length > 0 || (stepText !== undefined && !/^\d+$/.test(stepText))) return undefined;
  const step = Number(stepText ?? 1);
  if (step < 1) return undefined;
  if (span === '*' || span === '?') return { from: field.least, to: field.most, step };
  const [first = '', last, ...rest] = span.split('-');
  const from = valueOf(first, field);
  // `5/15` counts on to the end, `5` is just that.
  const to = last === undefined ? (stepText === undefined ? from : field.most) : valueOf(last, field);
  if (rest.length > 0 || from === undefined || to === undefined || from > to) return undefined;
  return { from, to, step };
}

function valueOf(text: string, { least, most, names = [] }: Field): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  const value = named === -1 ? Number(text) : named + least;
  return text !== '' && /^(\d+|[a-z]{3})$/i.test(text) && Number.isInteger(value) && value >= least && value <= most
    ? value
    : undefined;
}

/** True where the schedule fires in the minute of this instant. */
export function firesAt(schedule: CronSchedule, ms: number): boolean {
  const { minute, hour, dayOfMonth, month, dayOfWeek } = utcFields(ms);
  if (!schedule.minutes.has(minute) || !schedule.hours.has(hour) || !schedule.months.has(month)) return false;
  const [byDate, byWeekday] = [schedule.daysOfMonth.has(dayOfMonth), schedule.daysOfWeek.has(dayOfWeek)];
  return schedule.eitherDay ? byDate || byWeekday : byDate && byWeekday;
}

/** True while a window that the schedule opened is still open (E8). *Cost:* O(minutes of the duration). */
export function isWindowOpen(schedule: CronSchedule, durationMs: number, nowMs: number): boolean {
  const thisMinute = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  for (let start = thisMinute; start > nowMs - durationMs; start -= MINUTE_MS)
    if (firesAt(schedule, start)) return true;
  return false;
}
