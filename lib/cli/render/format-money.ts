/** `$0.0752/h`: EC2 prices have four decimals. */
export function formatUsdPerHour(usd: number): string {
  return `$${usd.toFixed(4)}/h`;
}
