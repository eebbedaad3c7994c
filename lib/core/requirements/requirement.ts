import type { NodePoolRequirement } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';

/**
 * The allowed values of a label: one of `values`, or any value except `values`; numbers can also have bounds.
 * *Source:* A0.4: Gt n is `gte n+1`, Lt n is `lte n−1`; bounds and values combine.
 */
export interface Requirement {
  readonly key: string;
  /** True: any value except `values`; the label may be absent unless `mustExist`. False: one of `values`. */
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  readonly gte?: bigint;
  readonly lte?: bigint;
  /** A1.6: the minimum number of values that must remain. Matching ignores it. */
  readonly minValues?: number;
  /** True if the label must exist, as for Exists and Gt. Together with an empty list of values, nothing meets it. */
  readonly mustExist: boolean;
}

export function requirement(from: NodePoolRequirement): Requirement {
  const { minValues } = from;
  const one = withoutMinValues(from);
  return minValues === undefined ? one : { ...one, minValues };
}

function withoutMinValues({ key, operator, values = [] }: NodePoolRequirement): Requirement {
  switch (operator) {
    case 'In':
      return values.length === 0 ? nothing(key) : inRequirement(key, values);
    case 'DoesNotExist':
      return inRequirement(key, []);
    case 'NotIn':
      // Karpenter treats NotIn without values as Exists. The API rejects it.
      return { key, complement: true, values: new Set(values), mustExist: values.length === 0 };
    case 'Exists':
      return { ...anything(key), mustExist: true };
    case 'Gt':
      return atLeast(key, boundOf(values), 1n);
    case 'Gte':
      return atLeast(key, boundOf(values), 0n);
    case 'Lt':
      return atMost(key, boundOf(values), 1n);
    case 'Lte':
      return atMost(key, boundOf(values), 0n);
    default:
      // An operator of a later Kubernetes.
      return nothing(key);
  }
}

/** A bound that is not a number, or beyond 64 bits, allows no value. */
function atLeast(key: string, bound: bigint | undefined, above: bigint): Requirement {
  if (bound === undefined || bound + above > LARGEST_INT64) return nothing(key);
  return { ...anything(key), mustExist: true, gte: bound + above };
}

function atMost(key: string, bound: bigint | undefined, below: bigint): Requirement {
  if (bound === undefined || bound - below < SMALLEST_INT64) return nothing(key);
  return { ...anything(key), mustExist: true, lte: bound - below };
}

export function inRequirement(key: string, values: Iterable<string>): Requirement {
  return { key, complement: false, values: new Set(values), mustExist: false };
}

function anything(key: string): Requirement {
  return { key, complement: true, values: new Set(), mustExist: false };
}

/** A0.4: a contradiction: no value meets it, and the label may not be absent. */
function nothing(key: string): Requirement {
  return { key, complement: false, values: new Set(), mustExist: true };
}

/** The requirement that both together make. A1.6: the larger minValues applies. *Cost:* O(values). */
export function intersect(a: Requirement, b: Requirement): Requirement {
  const both = intersectValues(a, b);
  const minValues = Math.max(a.minValues ?? 0, b.minValues ?? 0);
  return minValues === 0 ? both : { ...both, minValues };
}

function intersectValues(a: Requirement, b: Requirement): Requirement {
  if (crosses(a, b) || crosses(b, a)) return nothing(a.key);
  const gte = largest(a.gte, b.gte);
  const lte = smallest(a.lte, b.lte);
  const bounds = { ...optional({ gte, lte }) };
  if (a.complement && b.complement) {
    return {
      key: a.key,
      complement: true,
      // A0.4: values outside the bounds need not be excluded by name.
      values: new Set([...a.values.union(b.values)].filter((value) => inBounds(value, bounds))),
      mustExist: a.mustExist || b.mustExist,
      ...bounds,
    };
  }
  const [listed, other] = a.complement ? [b, a] : [a, b];
  const kept = [...listed.values].filter(
    (value) => other.complement !== other.values.has(value) && inBounds(value, bounds),
  );
  return kept.length > 0 || (allowsAbsence(a) && allowsAbsence(b)) ? inRequirement(a.key, kept) : nothing(a.key);
}

/** Whether a value meets both, without computing `intersect`. *Cost:* O(values), no allocation. */
export function overlaps(a: Requirement, b: Requirement): boolean {
  if (crosses(a, b) || crosses(b, a)) return false;
  if (a.complement && b.complement) return true;
  const [listed, other] = a.complement ? [b, a] : [a, b];
  for (const value of listed.values) {
    if (other.complement !== other.values.has(value) && inBounds(value, listed) && inBounds(value, other)) return true;
  }
  return false;
}

function crosses(low: Requirement, high: Requirement): boolean {
  return low.gte !== undefined && high.lte !== undefined && low.gte > high.lte;
}

/** Whether a label with this value meets the requirement; undefined means an absent label. */
export function admits(of: Requirement, value: string | undefined): boolean {
  if (value === undefined) return allowsAbsence(of);
  return of.complement !== of.values.has(value) && inBounds(value, of);
}

/** Whether every value that meets `have` also meets `want`. *Cost:* O(values). */
export function implies(have: Requirement, want: Requirement): boolean {
  if (allowsAbsence(have) && !allowsAbsence(want)) return false;
  if (!have.complement) return [...have.values].every((value) => admits(want, value));
  if (!want.complement) return false;
  if (want.gte !== undefined && (have.gte === undefined || have.gte < want.gte)) return false;
  if (want.lte !== undefined && (have.lte === undefined || have.lte > want.lte)) return false;
  return [...want.values].every((value) => !admits(have, value));
}

/** Whether no value meets it. */
export function admitsNothing(of: Requirement): boolean {
  return !of.complement && of.values.size === 0;
}

/** Whether the label may be absent: NotIn and DoesNotExist (A0.5). */
export function allowsAbsence(of: Requirement): boolean {
  return !of.mustExist && (of.complement || of.values.size === 0);
}

/**
 * The API form: In, NotIn, Exists or DoesNotExist; Gte, Lte or Exists in addition to NotIn if the label must exist.
 * A1.6: the API rejects a minValues above the number of listed values, so it is limited to that number.
 */
export function toNodeSelectorRequirements(of: Requirement): readonly NodePoolRequirement[] {
  const limit = of.complement || of.values.size === 0 ? Number.POSITIVE_INFINITY : of.values.size;
  const minValues = Math.min(of.minValues ?? 0, limit);
  const list = withoutFlexibility(of);
  return minValues === 0 ? list : list.map((one) => ({ ...one, minValues }));
}

function withoutFlexibility(of: Requirement): readonly NodePoolRequirement[] {
  const { key } = of;
  if (!of.complement) {
    return [
      allowsAbsence(of)
        ? { key, operator: 'DoesNotExist' }
        : { key, operator: 'In', values: [...of.values].toSorted() },
    ];
  }
  const bounds: NodePoolRequirement[] = [];
  if (of.gte !== undefined) bounds.push({ key, operator: 'Gte', values: [String(of.gte)] });
  if (of.lte !== undefined) bounds.push({ key, operator: 'Lte', values: [String(of.lte)] });
  if (of.mustExist && bounds.length === 0) bounds.push({ key, operator: 'Exists' });
  if (of.values.size === 0) return bounds;
  return [{ key, operator: 'NotIn', values: [...of.values].toSorted() }, ...bounds];
}

const LARGEST_INT64 = (1n << 63n) - 1n;
const SMALLEST_INT64 = -(1n << 63n);
/** A double represents integers of up to this many characters exactly. */
const MAX_EXACT_LENGTH = 15;

function inBounds(value: string, { gte, lte }: { readonly gte?: bigint; readonly lte?: bigint }): boolean {
  if (gte === undefined && lte === undefined) return true;
  const number = integerOf(value);
  return number !== undefined && (gte === undefined || number >= gte) && (lte === undefined || number <= lte);
}

/** The integer of a label's value (`007` and `+7` are 7); undefined if it is not an integer of 64 bits. */
function integerOf(text: string): number | bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  if (text.length <= MAX_EXACT_LENGTH) return Number(text);
  const number = bigintOf(text);
  return number >= SMALLEST_INT64 && number <= LARGEST_INT64 ? number : undefined;
}

/** A bound beyond 64 bits becomes the nearest 64-bit integer, as in Karpenter. */
function boundOf([text = '']: readonly string[]): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const number = bigintOf(text);
  if (number > LARGEST_INT64) return LARGEST_INT64;
  return number < SMALLEST_INT64 ? SMALLEST_INT64 : number;
}

function bigintOf(digits: string): bigint {
  return digits.startsWith('-') ? -BigInt(digits.slice(1)) : BigInt(digits.replace('+', ''));
}

function largest(a?: bigint, b?: bigint): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}

function smallest(a?: bigint, b?: bigint): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}
