/** Instants are milliseconds since 1970 (UTC) inside, RFC 3339 text at the edges. This file alone may use `Date`. */

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** RFC 3339 in UTC, to the second as Kubernetes writes it. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** *Errors:* throws a RangeError where the text is no RFC 3339 instant. */
export function parseTime(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new RangeError(`"${text}" is not a time: write it as 2026-01-31T08:00:00Z`);
  return ms;
}
