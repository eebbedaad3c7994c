/** `$0.0752/h`: four digits are what EC2's prices have. */
export function formatUsdPerHour(usd: number): string {
  return `$${usd.toFixed(4)}/h`;
}
