/**
 * Kubernetes quantities: `500m`, `1.5`, `2Gi`, `1e3`. Exact: the value is held in nano-units as a bigint, so that two
 * spellings of one amount are equal. Decisions work on numbers (see `core/resources`); this is the edge.
 */

const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E))?$/;

const NANO = 1_000_000_000n;
/** Nano-units of one unit with this suffix. */
const SUFFIX_NANO: Readonly<Record<string, bigint>> = {
  n: 1n,
  u: 1_000n,
  m: 1_000_000n,
  '': NANO,
  k: NANO * 10n ** 3n,
  M: NANO * 10n ** 6n,
  G: NANO * 10n ** 9n,
  T: NANO * 10n ** 12n,
  P: NANO * 10n ** 15n,
  E: NANO * 10n ** 18n,
  Ki: NANO << 10n,
  Mi: NANO << 20n,
  Gi: NANO << 30n,
  Ti: NANO << 40n,
  Pi: NANO << 50n,
  Ei: NANO << 60n,
};

/** 2^63 − 1 units: what Kubernetes can hold; above it Go saturates or overflows silently, so we refuse. */
const LARGEST_NANO = ((1n << 63n) - 1n) * NANO;

/**
 * *Units:* nano-units (10⁻⁹), rounded up as Kubernetes does. *Errors:* undefined where the text is no quantity, or one
 * beyond what Kubernetes can hold.
 */
export function parseQuantityNano(quantity: string | number): bigint | undefined {
  const match = QUANTITY.exec(String(quantity));
  if (match === null) return undefined;
  const [, digits = '', exponent = '', suffix = ''] = match;
  const power = exponent === '' ? 0 : Number(exponent.slice(1));
  if (Math.abs(power) > 40) return undefined;
  const [whole = '', fraction = ''] = digits.replace(/^[+-]/, '').split('.');
  const scale = SUFFIX_NANO[suffix] ?? NANO;
  const scaled = BigInt(`0${whole}${fraction}`) * scale * 10n ** BigInt(Math.max(power, 0));
  const divisor = 10n ** BigInt(fraction.length + Math.max(-power, 0));
  const nano = (scaled + divisor - 1n) / divisor;
  if (nano > LARGEST_NANO) return undefined;
  return digits.startsWith('-') ? -nano : nano;
}

export function isQuantity(text: string | number): boolean {
  return parseQuantityNano(text) !== undefined;
}

/** *Units:* milli-units, rounded up: `250m` is 250, `1` is 1000. *Errors:* RangeError for text that is no quantity. */
export function milliValue(quantity: string | number): number {
  return Number(ceilDivide(nanoOf(quantity), 1_000_000n));
}

/** *Units:* whole units, rounded up: `1Ki` is 1024. *Errors:* RangeError for text that is no quantity. */
export function unitValue(quantity: string | number): number {
  return Number(ceilDivide(nanoOf(quantity), NANO));
}

function nanoOf(quantity: string | number): bigint {
  const nano = parseQuantityNano(quantity);
  if (nano === undefined) throw new RangeError(`"${quantity}" is not a quantity: write it as 500m, 2 or 1Gi`);
  return nano;
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return value > 0n ? (value + by - 1n) / by : value / by;
}

/** CPU as people write it: 1500 millicores is `1500m`, 2000 is `2`. */
export function formatCpu(millicores: number): string {
  return millicores % 1_000 === 0 ? String(millicores / 1_000) : `${millicores}m`;
}

/** Bytes in the largest binary unit that divides them, else in Mi with one decimal digit at the most. */
export function formatBytes(bytes: number): string {
  for (const [unit, size] of BINARY_UNITS) if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit}`;
  return bytes < 1_048_576 ? String(bytes) : `${Math.round((bytes / 1_048_576) * 10) / 10}Mi`;
}

const BINARY_UNITS: readonly (readonly [string, number])[] = [
  ['Ti', 1_099_511_627_776],
  ['Gi', 1_073_741_824],
  ['Mi', 1_048_576],
  ['Ki', 1_024],
];
