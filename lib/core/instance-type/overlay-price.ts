import type { NodeOverlay } from '../../apis/node-overlay.ts';

/** What an overlay makes of a price (A4.9). */
export type PriceChange =
  | { readonly kind: 'replace'; readonly usdPerHour: number }
  | { readonly kind: 'add'; readonly usdPerHour: Decimal }
  | { readonly kind: 'scale'; readonly percent: Decimal };

/** Digits and where the point stands in them: units / 10^scale. A tenth has no exact double, and so prices are not added as such. */
interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/** Undefined where the overlay leaves prices alone. *Expects:* texts that the API's patterns have let through. */
export function priceChangeOf({ price, priceAdjustment }: NodeOverlay['spec']): PriceChange | undefined {
  if (price !== undefined) return { kind: 'replace', usdPerHour: Number(price) };
  if (priceAdjustment === undefined) return undefined;
  return priceAdjustment.endsWith('%')
    ? { kind: 'scale', percent: decimalOf(priceAdjustment.slice(0, -1)) }
    : { kind: 'add', usdPerHour: decimalOf(priceAdjustment) };
}

/** A4.9: the nearest double of the exact decimal result, and never below nought: 0.096 and +10% is 0.1056. */
export function changedPrice(usdPerHour: number, change: PriceChange): number {
  switch (change.kind) {
    case 'replace':
      return change.usdPerHour;
    case 'add':
      return notBelowNought(sum(decimalOf(String(usdPerHour)), change.usdPerHour));
    case 'scale': {
      const base = decimalOf(String(usdPerHour));
      const percent = sum({ units: 100n, scale: 0 }, change.percent);
      return notBelowNought({ units: base.units * percent.units, scale: base.scale + percent.scale + 2 });
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

function notBelowNought({ units, scale }: Decimal): number {
  return units <= 0n ? 0 : Number(`${units}e-${scale}`);
}
