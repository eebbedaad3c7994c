/** Rounded to a millionth of a dollar, without the errors of sums. */
export function toMicros(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}

/** `$0.096/h`, with four decimals at most. */
export function usdPerHour(amount: number): string {
  return `$${Number(amount.toFixed(4))}/h`;
}
