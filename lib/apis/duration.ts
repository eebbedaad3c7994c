/** Go durations as the Kubernetes API writes them: `1h30m`, `45s`, `720h`, and Karpenter's `Never` (A0.3). */

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
const DURATION = /^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/;

/** *Units:* milliseconds. *Errors:* undefined where the text is no duration (`Never` is none either). */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g))
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  return total;
}

/** A duration or `Never`: milliseconds, or undefined for `Never`. *Errors:* a RangeError for other text: validated input never has it. */
export function parseNillableDuration(text: string): number | undefined {
  if (text === 'Never') return undefined;
  const ms = parseDuration(text);
  if (ms === undefined) throw new RangeError(`"${text}" is not a duration: write it as 30s, 10m, 720h or Never`);
  return ms;
}

/** The shortest usual form: 90,000 ms is `1m30s`, 400 ms is `0.4s`. */
export function formatDuration(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 100) / 10}s`;
  const seconds = Math.round(ms / 1_000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60), seconds % 60];
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes}m` : ''}${rest > 0 ? `${rest}s` : ''}`;
}
