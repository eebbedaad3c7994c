/** Go durations as the Kubernetes API writes them: `1h30m`, `45s`, `720h`, and Karpenter's `Never` (A0.3). */

const UNIT_NS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  // The micro sign and the Greek letter mu.
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[nu\u00b5\u03bcm]?s|m|h))+)$/;
const PART = /(\d*)(?:\.(\d*))?([nu\u00b5\u03bcm]?s|m|h)/g;
/** Nearly all durations of a cluster. */
const ORDINARY = /^(\d{1,6})([smh])$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const NS_PER_MS = 1_000_000n;
/** Go rejects durations of 2⁶³ ns and more. */
const TOO_LARGE = 1n << 63n;

/**
 * Parses a duration. *Units:* milliseconds, with decimals below one. *Errors:* undefined where the text is not a duration in
 * Go's syntax, and for negative durations, which no field allows. `Never` is not a duration.
 */
export function parseDuration(text: string): number | undefined {
  const [, amount, suffix = ''] = ORDINARY.exec(text) ?? [];
  if (amount !== undefined) return Number(amount) * (UNIT_MS[suffix] ?? 0);
  if (!DURATION.test(text)) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(PART)) {
    const part = partNs({ whole, fraction }, UNIT_NS[unit] ?? 0n);
    total += part ?? TOO_LARGE;
    if (total >= TOO_LARGE) return undefined;
  }
  if (text.startsWith('-') && total > 0n) return undefined;
  return Number(total / NS_PER_MS) + Number(total % NS_PER_MS) / Number(NS_PER_MS);
}

/** Undefined for an amount that is too large for Go. */
function partNs(
  { whole, fraction }: { readonly whole: string; readonly fraction: string },
  unitNs: bigint,
): bigint | undefined {
  const digits = whole.replace(/^0+/, '');
  if (digits.length > 19) return undefined;
  const { value, scale } = readFraction(fraction);
  // Go computes fractions as floating-point numbers in this order.
  return BigInt(`0${digits}`) * unitNs + BigInt(Math.trunc(Number(value) * (Number(unitNs) / scale)));
}

/** Reads as many decimals as fit into 63 bits; Go ignores the rest. */
function readFraction(fraction: string): { readonly value: bigint; readonly scale: number } {
  let [value, scale] = [0n, 1];
  for (const digit of fraction) {
    const next = value * 10n + BigInt(digit);
    if (next > TOO_LARGE) break;
    value = next;
    scale *= 10;
  }
  return { value, scale };
}

/**
 * Parses a duration or `Never`. *Shape:* milliseconds, or undefined for `Never` and for text that is not a duration. The API server accepts
 * durations that are too long for Go, so such text counts as `Never`, and validation reports it.
 */
export function parseNillableDuration(text: string): number | undefined {
  return text === 'Never' ? undefined : parseDuration(text);
}

/** Formats a duration in its shortest form: 90,000 ms is `1m30s`, 400 ms is `0.4s`. */
export function formatDuration(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 100) / 10}s`;
  const seconds = Math.round(ms / 1_000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60), seconds % 60];
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes}m` : ''}${rest > 0 ? `${rest}s` : ''}`;
}
