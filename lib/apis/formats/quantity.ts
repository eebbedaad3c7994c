/**
 * Kubernetes quantities: `500m`, `1.5`, `2Gi`, `1e3`. The value is an exact bigint in nano-units, so different spellings of
 * one amount are equal. The syntax is exactly that of Kubernetes. Decisions use numbers instead (see `core/resources`).
 */

/** The digits before and after the point, then an exponent or a suffix. Kubernetes requires no digit: `Gi` is zero. */
const QUANTITY = /^[+-]?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+)|([KMGTPE]i|[numkMGTPE]))?$/;

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

const LARGEST_INT64 = (1n << 63n) - 1n;
/** Amounts of 10¹⁰⁰⁰ units and more are treated as equal, so a large exponent does not lead to numbers with a billion digits. */
const MAX_DIGITS = 1_000;

/**
 * Parses a quantity as Kubernetes does. *Units:* nano-units (10⁻⁹), rounded away from zero; with a binary suffix at most
 * 2⁶³ − 1 units. *Errors:* undefined where the text is not a quantity.
 */
export function parseQuantityNano(quantity: string | number): bigint | undefined {
  const text = String(quantity);
  const match = QUANTITY.exec(text);
  if (match === null || text === '') return undefined;
  const [, whole = '', fraction = '', exponentText = '0', suffix = ''] = match;
  const exponent = parseExponent(exponentText);
  if (exponent === undefined) return undefined;
  // Kubernetes requires a digit for very small and very large units.
  if (whole === '' && fraction === '' && (exponent < -9 || suffix === 'Pi' || suffix === 'Ei')) return undefined;
  const scale = SUFFIX_NANO[suffix] ?? NANO;
  const nano = ceilScaled({ digits: whole + fraction, power: exponent - fraction.length }, scale);
  const capped = suffix.endsWith('i') && nano > LARGEST_INT64 * NANO ? LARGEST_INT64 * NANO : nano;
  return text.startsWith('-') ? -capped : capped;
}

/** Kubernetes parses 64 bits of an exponent and keeps 32 of them: `1e4294967299` is `1e3`. */
function parseExponent(text: string): number | undefined {
  const digits = text.replace(/^[+-]?0*/, '');
  if (digits.length > 19) return undefined;
  const exponent = BigInt(`0${digits}`) * (text.startsWith('-') ? -1n : 1n);
  return BigInt.asIntN(64, exponent) === exponent ? Number(BigInt.asIntN(32, exponent)) : undefined;
}

/** The digits × 10^power × scale, rounded up. *Cost:* bounded, also for long text. */
function ceilScaled({ digits, power }: { readonly digits: string; readonly power: number }, scale: bigint): bigint {
  const significant = digits.replace(/^0+/, '');
  if (significant === '') return 0n;
  const magnitude = significant.length + power;
  if (magnitude > MAX_DIGITS) return NANO * 10n ** BigInt(MAX_DIGITS);
  if (magnitude < -MAX_DIGITS) return 1n;
  const kept = significant.slice(0, 2 * MAX_DIGITS);
  // Of the digits that are cut off, it matters only whether all are zero.
  const sticky = /[1-9]/.test(significant.slice(kept.length)) ? '1' : '0';
  const places = magnitude - kept.length - 1;
  const scaled = BigInt(kept + sticky) * scale * 10n ** BigInt(Math.max(places, 0));
  return ceilDivide(scaled, 10n ** BigInt(Math.max(-places, 0)));
}

export function isQuantity(text: string | number): boolean {
  return ORDINARY.test(String(text)) || parseQuantityNano(text) !== undefined;
}

/** The quantity in milli-units: `250m` is 250, `1` is 1000. Rounding and errors are those of `unitValue`. */
export function milliValue(quantity: string | number): number {
  return ordinary(quantity, MILLI_BY_SUFFIX) ?? inUnitsOf(NANO / 1_000n, quantity);
}

/**
 * The quantity in whole units, rounded away from zero: `1Ki` is 1024, `1m` is 1. The maximum is 2⁶³ − 1. *Errors:* RangeError
 * for text that is not a quantity.
 */
export function unitValue(quantity: string | number): number {
  return ordinary(quantity, UNITS_BY_SUFFIX) ?? inUnitsOf(NANO, quantity);
}

/** Digits with a common suffix: nearly all quantities of a cluster. */
const ORDINARY = /^(\d{1,15})(m|Ki|Mi|Gi)?$/;
const MILLI_BY_SUFFIX: Readonly<Record<string, number>> = { m: 1, '': 1_000 };
const UNITS_BY_SUFFIX: Readonly<Record<string, number>> = { '': 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** *Shape:* undefined if the value is not a whole number that is exact, so that it must be computed in nano-units. */
function ordinary(quantity: string | number, bySuffix: Readonly<Record<string, number>>): number | undefined {
  const match = ORDINARY.exec(String(quantity));
  const factor = match === null ? undefined : bySuffix[match[2] ?? ''];
  const value = Number(match?.[1]) * (factor ?? Number.NaN);
  return Number.isSafeInteger(value) ? value : undefined;
}

function inUnitsOf(unitNano: bigint, quantity: string | number): number {
  const nano = parseQuantityNano(quantity);
  if (nano === undefined) throw new RangeError(`"${quantity}" is not a quantity; write it as 500m, 2 or 1Gi`);
  const units = ceilDivide(nano < 0n ? -nano : nano, unitNano);
  const capped = Number(units > LARGEST_INT64 ? LARGEST_INT64 : units);
  return nano < 0n ? -capped : capped;
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** Formats CPU: 1500 millicores is `1500m`, 2000 is `2`. */
export function formatCpu(millicores: number): string {
  return millicores % 1_000 === 0 ? String(millicores / 1_000) : `${millicores}m`;
}

/** Formats bytes in the largest binary unit that divides them, else in Mi with at most one decimal. */
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
