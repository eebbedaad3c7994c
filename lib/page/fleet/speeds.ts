/** The speeds that a user can choose. *Units:* simulated seconds a second. */
export const SPEEDS = [
  { value: 1, text: '1 × (real time)' },
  { value: 10, text: '10 ×' },
  { value: 60, text: '60 × (a minute a second)' },
  { value: 300, text: '300 ×' },
  { value: 900, text: '900 ×' },
  { value: 3_600, text: '3,600 × (an hour a second)' },
  { value: 14_400, text: '14,400 ×' },
] as const;

/** The longest playback without a choice of the user. */
const MAX_WATCHED_SECONDS = 100;

/** The slowest speed that shows the whole time in less than two minutes. */
export function defaultSpeed(durationSeconds: number): number {
  const fast = SPEEDS.find(({ value }) => durationSeconds / value <= MAX_WATCHED_SECONDS);
  return (fast ?? SPEEDS[SPEEDS.length - 1] ?? SPEEDS[0]).value;
}
