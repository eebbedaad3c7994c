/** 2026-01-31T08:00:00Z, a Saturday. The value does not matter. */
export const NOW_MS = 1_769_846_400_000;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
