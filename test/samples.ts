const FULL = process.env['KERF_SAMPLES'] === 'full';

/**
 * How many samples a test takes.
 * *Shape:* `full` under `npm run test:full`, which the gate runs; `everyday` under `npm test`. @default a tenth of `full`
 */
export function samples(full: number, everyday: number = Math.ceil(full / 10)): number {
  return FULL ? full : everyday;
}

/** The same of a list: all of it, or its first entries. */
export function samplesOf<T>(full: readonly T[], everyday: number): readonly T[] {
  return full.slice(0, samples(full.length, everyday));
}
