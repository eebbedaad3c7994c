/** What must be saved at least: a share of a price, from 0 to 1, or an amount. */
export type MinimumSaving =
  | { readonly kind: 'share'; readonly share: number }
  | { readonly kind: 'amount'; readonly usdPerHour: number };

const AMOUNT = /^\$(\d{1,6}(?:\.\d{1,6})?)$/;
const PERCENTAGE = /^(\d{1,3}(?:\.\d{1,3})?)%$/;

/** Parses `5%` and `$0.02`. *Shape:* undefined for other texts, and for more than 100 %. *Units:* US dollars per hour. */
export function parseMinimumSaving(text: string): MinimumSaving | undefined {
  const [, usd] = AMOUNT.exec(text) ?? [];
  if (usd !== undefined) return { kind: 'amount', usdPerHour: Number(usd) };
  const [, percent] = PERCENTAGE.exec(text) ?? [];
  return percent === undefined || Number(percent) > 100 ? undefined : { kind: 'share', share: Number(percent) / 100 };
}
