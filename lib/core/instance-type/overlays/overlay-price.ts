import type { NodeOverlay } from '../../../apis/node-overlay.ts';

/** How an overlay changes a price (A4.9). */
export type PriceChange =
  | { readonly kind: 'replace'; readonly usdPerHour: number }
  | { readonly kind: 'add'; readonly usdPerHour: Decimal }
  | { readonly kind: 'scale'; readonly percent: Decimal };

/** An exact decimal: units / 10^scale. A double cannot represent 0.1 exactly. */
interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/** The price change of an overlay; undefined if it does not change prices. *Expects:* texts that match the patterns of the API. */
export function priceChangeOf({ price, priceAdjustment }: NodeOverlay['spec']): PriceChange | undefined {
  if (price !== undefined) return { kind: 'replace', usdPerHour: Number(price) };
  if (priceAdjustment === undefined) return undefined;
  return priceAdjustment.endsWith('%')
    ? { kind: 'scale', percent: decimalOf(priceAdjustment.slice(0, -1)) }
    : { kind: 'add', usdPerHour: decimalOf(priceAdjustment) };
}

/** A4.9: the double nearest to the exact decimal result, at least 0: 0.096 and +10% is 0.1056. */
export function changedPrice(usdPerHour: number, change: PriceChange): number {
  switch (change.kind) {
    case 'replace':
      return change.usdPerHour;
    case 'add':
      return notBelowZero(sum(decimalOf(String(usdPerHour)), change.usdPerHour));
    case 'scale': {
      const base = decimalOf(String(usdPerHour));
      const percent = sum({ units: 100n, scale: 0 }, change.percent);
      return notBelowZero({ units: base.units * percent.units, scale: base.scale + percent.scale + 2 });
    }
  }
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]\d+))?$/;

function decimalOf(text: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  const units = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

function sum(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

function unitsAt({ units, scale }: Decimal, finer: number): bigint {
  return units * 10n ** BigInt(finer - scale);
}

function notBelowZero({ units, scale }: Decimal): number {
  return units <= 0n ? 0 : Number(`${units}e-${scale}`);
}
