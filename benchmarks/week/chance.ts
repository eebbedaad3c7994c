import { fraction, type Random, randomFrom } from '../../lib/simulator/random.ts';

/** A lognormal distribution that is cut off at both ends. */
export interface Lognormal {
  readonly median: number;
  /** The standard deviation of the logarithm. */
  readonly sigma: number;
  readonly min: number;
  readonly max: number;
}

export function lognormal(random: Random, { median, sigma, min, max }: Lognormal): number {
  return Math.min(max, Math.max(min, median * Math.exp(sigma * normal(random))));
}

/** Values, each with its share. The shares add up to one. */
export type Weighted = readonly (readonly [value: number, share: number])[];

export function weighted(random: Random, values: Weighted): number {
  let left = fraction(random);
  for (const [value, share] of values) {
    left -= share;
    if (left < 0) return value;
  }
  return values.at(-1)?.[0] ?? Number.NaN;
}

export function meanOf(values: Weighted): number {
  return values.reduce((sum, [value, share]) => sum + value * share, 0);
}

const DRAWS = 20_000;

/** The mean of the distribution, from many values of one seed. */
export function meanOfLognormal(of: Lognormal): number {
  const random = randomFrom(DRAWS);
  let sum = 0;
  for (let draw = 0; draw < DRAWS; draw += 1) sum += lognormal(random, of);
  return sum / DRAWS;
}

/** *Source:* Box and Muller 1958. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - fraction(random))) * Math.cos(2 * Math.PI * fraction(random));
}
