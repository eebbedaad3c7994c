/** `$0.0752/h`: EC2 prices have four decimals. */
export function formatUsdPerHour(usd: number): string {
  return `$${usd.toFixed(4)}/h`;
}

/** `$17.40`; below a dollar with four decimals: `$0.0752`. */
export function formatUsd(usd: number): string {
  return usd > 0 && usd < 1 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}
