/** `0.096 $/h`, with four decimals at most. */
export function usdPerHour(amount: number): string {
  return `${Number(amount.toFixed(4))} $/h`;
}
