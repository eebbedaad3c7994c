import type { NodeSelectorRequirement } from '../../apis/kubernetes.ts';

/**
 * What a label's value may be: either one of `values`, or anything but `values`; numbers may be bounded as well.
 * *Source:* A0.4: Gt n is `gte n+1`, Lt n is `lte n−1`; bounds and values combine.
 */
export interface Requirement {
  readonly key: string;
  /** True: any value but `values` (and the label may be absent where nothing bounds it). False: one of `values`. */
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  readonly gte?: number;
  readonly lte?: number;
  /** True where the label must be there: Exists, Gt and the like. With no values to choose from, nothing meets it. */
  readonly mustExist: boolean;
}

export function requirement(from: NodeSelectorRequirement): Requirement {
  const { key } = from;
  const values = from.values ?? [];
  const bound = Number(values[0] ?? 0);
  switch (from.operator) {
    case 'In':
      return values.length === 0 ? nothing(key) : oneOf(key, values);
    case 'DoesNotExist':
      return oneOf(key, []);
    case 'NotIn':
      return { key, complement: true, values: new Set(values), mustExist: false };
    case 'Exists':
      return { ...anything(key), mustExist: true };
    case 'Gt':
      return { ...anything(key), mustExist: true, gte: bound + 1 };
    case 'Gte':
      return { ...anything(key), mustExist: true, gte: bound };
    case 'Lt':
      return { ...anything(key), mustExist: true, lte: bound - 1 };
    case 'Lte':
      return { ...anything(key), mustExist: true, lte: bound };
  }
}

export function oneOf(key: string, values: Iterable<string>): Requirement {
  return { key, complement: false, values: new Set(values), mustExist: false };
}

function anything(key: string): Requirement {
  return { key, complement: true, values: new Set(), mustExist: false };
}

/** A0.4: what a contradiction asks for: no value will do, and no absence either. */
function nothing(key: string): Requirement {
  return { key, complement: false, values: new Set(), mustExist: true };
}

/** What satisfies both. *Cost:* O(values). */
export function intersect(a: Requirement, b: Requirement): Requirement {
  const gte = maxDefined(a.gte, b.gte);
  const lte = minDefined(a.lte, b.lte);
  const bounds = { ...(gte === undefined ? {} : { gte }), ...(lte === undefined ? {} : { lte }) };
  if (gte !== undefined && lte !== undefined && gte > lte) return nothing(a.key);
  if (a.complement && b.complement) {
    return {
      key: a.key,
      complement: true,
      values: a.values.union(b.values),
      mustExist: a.mustExist || b.mustExist,
      ...bounds,
    };
  }
  const [listed, other] = a.complement ? [b, a] : [a, b];
  const kept = [...listed.values].filter(
    (value) => other.complement !== other.values.has(value) && inBounds(value, bounds),
  );
  return kept.length > 0 || (allowsAbsence(a) && allowsAbsence(b)) ? oneOf(a.key, kept) : nothing(a.key);
}

/** Whether some value meets both: `intersect` is not empty, without making it. *Cost:* O(values), no allocation. */
export function overlaps(a: Requirement, b: Requirement): boolean {
  const gte = Math.max(a.gte ?? -Infinity, b.gte ?? -Infinity);
  const lte = Math.min(a.lte ?? Infinity, b.lte ?? Infinity);
  if (gte > lte) return false;
  if (a.complement && b.complement) return true;
  const [listed, other] = a.complement ? [b, a] : [a, b];
  for (const value of listed.values) {
    if (other.complement !== other.values.has(value) && inBounds(value, listed) && inBounds(value, other)) return true;
  }
  return false;
}

/** True where a label of this value meets the requirement; undefined stands for an absent label. */
export function admits(of: Requirement, value: string | undefined): boolean {
  if (value === undefined) return allowsAbsence(of);
  return of.complement !== of.values.has(value) && inBounds(value, of);
}

/** True where whatever meets `have` meets `want` too. *Cost:* O(values). */
export function implies(have: Requirement, want: Requirement): boolean {
  if (allowsAbsence(have) && !allowsAbsence(want)) return false;
  if (!have.complement) return [...have.values].every((value) => admits(want, value));
  if (!want.complement) return false;
  const within = (want.gte ?? -Infinity) <= (have.gte ?? -Infinity) && (want.lte ?? Infinity) >= (have.lte ?? Infinity);
  return within && [...want.values].every((value) => !admits(have, value));
}

/** True where nothing can satisfy it but the label's absence. */
export function isEmpty(of: Requirement): boolean {
  return !of.complement && of.values.size === 0;
}

/** True where the label may be missing altogether: NotIn and DoesNotExist (A0.5). */
export function allowsAbsence(of: Requirement): boolean {
  return !of.mustExist && (of.complement || of.values.size === 0);
}

/** The API form: In, NotIn, Exists, DoesNotExist, with Gte, Lte or Exists beside NotIn where the label must be there. */
export function toNodeSelectorRequirements(of: Requirement): readonly NodeSelectorRequirement[] {
  const { key } = of;
  if (!of.complement) {
    return [
      allowsAbsence(of)
        ? { key, operator: 'DoesNotExist' }
        : { key, operator: 'In', values: [...of.values].toSorted() },
    ];
  }
  const bounds: NodeSelectorRequirement[] = [];
  if (of.gte !== undefined) bounds.push({ key, operator: 'Gte', values: [String(of.gte)] });
  if (of.lte !== undefined) bounds.push({ key, operator: 'Lte', values: [String(of.lte)] });
  if (of.mustExist && bounds.length === 0) bounds.push({ key, operator: 'Exists' });
  if (of.values.size === 0) return bounds;
  return [{ key, operator: 'NotIn', values: [...of.values].toSorted() }, ...bounds];
}

function inBounds(value: string, bounds: { readonly gte?: number; readonly lte?: number }): boolean {
  if (bounds.gte === undefined && bounds.lte === undefined) return true;
  if (!/^-?\d+$/.test(value)) return false;
  return Number(value) >= (bounds.gte ?? -Infinity) && Number(value) <= (bounds.lte ?? Infinity);
}

function maxDefined(a?: number, b?: number): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}

function minDefined(a?: number, b?: number): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
