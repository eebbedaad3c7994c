/** A factor of a price: a number from 1, or `Off` for no limit. *Shape:* Infinity for `Off`; undefined for other texts. */
export function parsePriceFactor(text: string): number | undefined {
  if (text === 'Off') return Number.POSITIVE_INFINITY;
  const factor = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  return factor >= 1 ? factor : undefined;
}
