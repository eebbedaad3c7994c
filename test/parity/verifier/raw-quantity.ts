import type { RawResources } from './raw-documents.ts';

/** Kubernetes quantities as whole billionths of their unit: exact, so that sums of `0.1` have no rounding errors. */

/** The quantity in billionths, rounded up. */
export function billionths(quantity: string | number): bigint {
  const text = String(quantity);
  const seen = known.get(text);
  if (seen !== undefined) {
    return seen;
  }
  const parsed = parse(text);
  known.set(text, parsed);
  return parsed;
}

/** Resources by name; an absent resource is zero. */
export type Amounts = ReadonlyMap<string, bigint>;

export function amountsOf(resources: RawResources | undefined): Amounts {
  return new Map(Object.entries(resources ?? {}).map(([name, quantity]) => [name, billionths(quantity)]));
}

export function sumOf(...all: readonly Amounts[]): Amounts {
  const sum = new Map<string, bigint>();
  for (const amounts of all) {
    for (const [name, amount] of amounts) {
      sum.set(name, (sum.get(name) ?? 0n) + amount);
    }
  }
  return sum;
}

export function largestOf(...all: readonly Amounts[]): Amounts {
  const largest = new Map<string, bigint>();
  for (const amounts of all) {
    for (const [name, amount] of amounts) {
      const before = largest.get(name);
      largest.set(name, before === undefined || amount > before ? amount : before);
    }
  }
  return largest;
}

export function lessThan(amounts: Amounts, taken: Amounts): Amounts {
  return sumOf(amounts, new Map([...taken].map(([name, amount]) => [name, -amount])));
}

/** The first request that exceeds the available amount, as text; undefined if all fit. */
export function shortageOf(asked: Amounts, available: Amounts): string | undefined {
  for (const [name, amount] of asked) {
    const there = available.get(name) ?? 0n;
    if (amount > 0n && amount > there) {
      return `${name} ${decimal(amount)} requested, ${decimal(there)} available`;
    }
  }
  return undefined;
}

function decimal(amount: bigint): string {
  return String(Number(amount) / 1e9);
}

const known = new Map<string, bigint>();

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+)|([KMGTPE]i)|([numkMGTPE]))?$/;
const BINARY: Readonly<Record<string, bigint>> = {
  Ki: 2n ** 10n,
  Mi: 2n ** 20n,
  Gi: 2n ** 30n,
  Ti: 2n ** 40n,
  Pi: 2n ** 50n,
  Ei: 2n ** 60n,
};
const POWERS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

function parse(text: string): bigint {
  const found = FORM.exec(text);
  const digits = `${found?.[2] ?? ''}${found?.[3] ?? ''}`;
  if (found === null || digits === '') {
    throw new Error(`${JSON.stringify(text)} is not a quantity: write digits and a suffix such as m, k, Mi or e3`);
  }
  const [, sign, , fraction = '', exponent, binary, suffix] = found;
  const power = Number(exponent ?? 0) + (suffix === undefined ? 0 : (POWERS[suffix] ?? 0)) + 9 - fraction.length;
  const whole = BigInt(digits) * (binary === undefined ? 1n : (BINARY[binary] ?? 1n));
  const amount = power >= 0 ? whole * 10n ** BigInt(power) : roundedUp(whole, 10n ** BigInt(-power));
  return sign === '-' ? -amount : amount;
}

function roundedUp(whole: bigint, divisor: bigint): bigint {
  return (whole + divisor - 1n) / divisor;
}
