/** `$0.0752/h`: EC2 prices have four decimals. */
export function formatUsdPerHour(usd: number): string {
  return `$${usd.toFixed(4)}/h`;
}

/** `$17.40`; below a dollar with four decimals: `$0.0752`. */
export function formatUsd(usd: number): string {
  return usd > 0 && usd < 1 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** `$1,386`: an estimate in whole dollars. */
export function wholeUsd(usd: number): string {
  return `$${Math.round(usd).toLocaleString('en-US')}`;
}

const HOURS_A_MONTH = 730;

/** `about $1,386 a month`: the cost of 730 hours. */
export function formatUsdPerMonth(usdPerHour: number): string {
  return `about ${wholeUsd(usdPerHour * HOURS_A_MONTH)} a month`;
}

/** `saves $0.1920/h`, `costs $0.1000/h more`, or `at the same cost`. */
export function formatSavings(usdPerHour: number): string {
  const amount = formatUsdPerHour(Math.abs(usdPerHour));
  if (amount === formatUsdPerHour(0)) return 'at the same cost';
  return usdPerHour > 0 ? `saves ${amount}` : `costs ${amount} more`;
}

/** The sum of prices, computed in billionths of a dollar to avoid rounding errors. */
export function totalUsd(prices: readonly number[]): number {
  const sum = prices.reduce((total, price) => total + Math.round(price * 1e9), 0);
  return Math.min(sum / 1e9, Number.MAX_VALUE);
}
