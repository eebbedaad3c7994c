/** Times are milliseconds since 1970 (UTC) internally, and RFC 3339 text in objects. Only this file may use `Date`. */

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Formats a time as RFC 3339 in UTC, in whole seconds as Kubernetes does. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -'.000Z'.length)}Z`;
}

/** Without the year, for tables of a few days: `01-31 08:00:00`. */
export function formatDayTime(ms: number): string {
  return formatTime(ms).slice(5, 19).replace('T', ' ');
}

/** Formats a time as RFC 3339 in UTC, with milliseconds. */
export function formatExactTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Parses an RFC 3339 time. *Errors:* throws a RangeError where the text is not an RFC 3339 time. */
export function parseTime(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new RangeError(`"${text}" is not a time; write it as 2026-01-31T08:00:00Z`);
  return ms;
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** The time in a text that nothing has validated; undefined for one that is not an RFC 3339 time. */
export function timeIn(text: string | undefined): number | undefined {
  if (text === undefined || !RFC_3339.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
