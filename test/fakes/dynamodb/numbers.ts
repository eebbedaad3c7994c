import { invalid } from './errors.ts';

/** coefficient × 10^exponent; the coefficient does not end with a zero. */
interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** *Source:* Supported data types, Number: 38 digits, and magnitudes from 1E-130 to 9.99…E+125. */
const MAX_DIGITS = 38;
const MAX_MAGNITUDE = 125;
const MIN_MAGNITUDE = -130;

const PLAIN = /^(?:0|-?[1-9]\d{0,14})$/;
const NUMBER = /^([+-]?)(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?$/;

/** The text in which DynamoDB returns the number: without an exponent and unnecessary zeros. */
export function canonicalNumber(text: string): string {
  return PLAIN.test(text) ? text : format(parse(text));
}

export function compareNumbers(a: string, b: string): number {
  if (PLAIN.test(a) && PLAIN.test(b)) return Number(a) - Number(b);
  const [left, right] = aligned(parse(a), parse(b));
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

export function addNumbers(a: string, b: string, sign: 1 | -1 = 1): string {
  const [left, right, exponent] = aligned(parse(a), parse(b));
  return format(checked(stripped({ coefficient: sign === 1 ? left + right : left - right, exponent })));
}

function parse(text: string): Decimal {
  const [, sign, digits = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (sign === undefined) {
    throw invalid(`The parameter cannot be converted to a numeric value: ${text}`);
  }
  const [whole = '', fraction = ''] = digits.split('.');
  const coefficient = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
  return checked(stripped({ coefficient, exponent: Number(exponent) - fraction.length }));
}

function stripped({ coefficient, exponent }: Decimal): Decimal {
  if (coefficient === 0n) return { coefficient, exponent: 0 };
  const zeros = /0*$/.exec(String(coefficient))?.[0].length ?? 0;
  return { coefficient: coefficient / 10n ** BigInt(zeros), exponent: exponent + zeros };
}

function checked(decimal: Decimal): Decimal {
  const digits = digitsOf(decimal).length;
  if (digits > MAX_DIGITS) throw invalid('Attempting to store more than 38 significant digits in a Number');
  const magnitude = digits - 1 + decimal.exponent;
  if (magnitude > MAX_MAGNITUDE) {
    throw invalid('Number overflow. Attempting to store a number with magnitude larger than supported range');
  }
  if (decimal.coefficient !== 0n && magnitude < MIN_MAGNITUDE) {
    throw invalid('Number underflow. Attempting to store a number with magnitude smaller than supported range');
  }
  return decimal;
}

function digitsOf({ coefficient }: Decimal): string {
  return String(coefficient < 0n ? -coefficient : coefficient);
}

function aligned(a: Decimal, b: Decimal): readonly [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (one: Decimal): bigint => one.coefficient * 10n ** BigInt(one.exponent - exponent);
  return [scaled(a), scaled(b), exponent];
}

function format(decimal: Decimal): string {
  const sign = decimal.coefficient < 0n ? '-' : '';
  const digits = digitsOf(decimal);
  if (decimal.exponent >= 0) return `${sign}${digits}${'0'.repeat(decimal.exponent)}`;
  const padded = digits.padStart(1 - decimal.exponent, '0');
  const point = padded.length + decimal.exponent;
  return `${sign}${padded.slice(0, point)}.${padded.slice(point)}`;
}
