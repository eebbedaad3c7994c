/** The Gregorian calendar in whole days since 1970-01-01 (UTC), for code that iterates over many days. */

export interface CalendarDate {
  readonly day: number;
  readonly year: number;
  /** 1–12. */
  readonly month: number;
  readonly dayOfMonth: number;
  /** 0 is Sunday. */
  readonly dayOfWeek: number;
}

const MONTH_LENGTHS: readonly number[] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DAYS_PER_YEAR = 365.2425;
const DAYS_BEFORE_1970 = 719_162;
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4;

/** 1 January of the first year to 31 December of the last. */
export function* datesOfYears(firstYear: number, lastYear: number): Generator<CalendarDate, void> {
  let day = newYearsDay(firstYear);
  for (let year = firstYear; year <= lastYear; year += 1) {
    for (const [index, length] of monthLengths(year).entries()) {
      for (let dayOfMonth = 1; dayOfMonth <= length; dayOfMonth += 1, day += 1)
        yield { day, year, month: index + 1, dayOfMonth, dayOfWeek: weekdayOf(day) };
    }
  }
}

export function dateOfDay(day: number): CalendarDate {
  let year = 1970 + Math.floor(day / DAYS_PER_YEAR);
  // The mean year length is off by a day or two at the turn of the year.
  while (newYearsDay(year) > day) year -= 1;
  while (newYearsDay(year + 1) <= day) year += 1;
  let [month, left] = [1, day - newYearsDay(year)];
  for (const length of monthLengths(year)) {
    if (left < length) break;
    left -= length;
    month += 1;
  }
  return { day, year, month, dayOfMonth: left + 1, dayOfWeek: weekdayOf(day) };
}

/** The day of 1 January. */
export function newYearsDay(year: number): number {
  const past = year - 1;
  return 365 * past + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400) - DAYS_BEFORE_1970;
}

function monthLengths(year: number): readonly number[] {
  return newYearsDay(year + 1) - newYearsDay(year) === 366 ? MONTH_LENGTHS.with(1, 29) : MONTH_LENGTHS;
}

function weekdayOf(day: number): number {
  return (((day + FIRST_WEEKDAY) % 7) + 7) % 7;
}
