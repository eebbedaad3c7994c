import type { RawExpression } from './raw-documents.ts';

/** The possible values of a label, and whether it may be absent. */
export interface ValueSet {
  readonly absent: boolean;
  /** True: every value but `values`, within the bounds. False: only `values`. */
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  readonly least: number;
  readonly most: number;
}

export const ANYTHING: ValueSet = setOf({ absent: true, complement: true });
export const ABSENT: ValueSet = setOf({ absent: true, complement: false });

/** The set of one label: that value, or absent. */
export function exactly(value: string | undefined): ValueSet {
  return value === undefined ? ABSENT : oneOf([value]);
}

export function oneOf(values: readonly string[]): ValueSet {
  return setOf({ absent: false, complement: false, values });
}

/** The labels that an expression of a node selector allows. */
export function allowedBy({ operator, values = [] }: Omit<RawExpression, 'key'>): ValueSet {
  const bound = Number(values[0]);
  switch (operator) {
    case 'In':
      return oneOf(values);
    case 'NotIn':
      return setOf({ absent: true, complement: true, values });
    case 'Exists':
      return setOf({ absent: false, complement: true });
    case 'DoesNotExist':
      return ABSENT;
    case 'Gt':
      return setOf({ absent: false, complement: true, least: bound + 1 });
    case 'Gte':
      return setOf({ absent: false, complement: true, least: bound });
    case 'Lt':
      return setOf({ absent: false, complement: true, most: bound - 1 });
    case 'Lte':
      return setOf({ absent: false, complement: true, most: bound });
    default:
      throw new Error(`operator ${operator} is not one of In, NotIn, Exists, DoesNotExist, Gt, Gte, Lt, Lte`);
  }
}

function has(set: ValueSet, value: string): boolean {
  return set.complement ? !set.values.has(value) && within(set, value) : set.values.has(value);
}

export function both(one: ValueSet, other: ValueSet): ValueSet {
  const absent = one.absent && other.absent;
  if (!one.complement || !other.complement) {
    const [finite, filter] = one.complement ? [other, one] : [one, other];
    return setOf({ absent, complement: false, values: [...finite.values].filter((value) => has(filter, value)) });
  }
  return setOf({
    absent,
    complement: true,
    values: [...one.values, ...other.values],
    least: Math.max(one.least, other.least),
    most: Math.min(one.most, other.most),
  });
}

/** Whether no value is possible and absence is not allowed. */
export function isNothing(set: ValueSet): boolean {
  return !set.absent && !hasValues(set);
}

/** Whether `outer` allows everything that `inner` allows. */
export function isWithin(inner: ValueSet, outer: ValueSet): boolean {
  if (inner.absent && !outer.absent) {
    return false;
  }
  if (!inner.complement) {
    return [...inner.values].every((value) => has(outer, value));
  }
  return (
    !hasValues(inner) ||
    (outer.complement &&
      [...outer.values].every((value) => !has(inner, value)) &&
      inner.least >= outer.least &&
      inner.most <= outer.most)
  );
}

export function describe(set: ValueSet): string {
  const values = [...set.values].toSorted().join(', ');
  const bounds = `${set.least === -Infinity ? '' : ` from ${set.least}`}${set.most === Infinity ? '' : ` to ${set.most}`}`;
  const present = set.complement ? `anything${bounds}${values === '' ? '' : ` but ${values}`}` : values;
  return [present, ...(set.absent ? ['absent'] : [])].filter((part) => part !== '').join(' or ');
}

function hasValues(set: ValueSet): boolean {
  return set.complement ? set.least <= set.most : set.values.size > 0;
}

function within({ least, most }: ValueSet, value: string): boolean {
  return (least === -Infinity && most === Infinity) || (Number(value) >= least && Number(value) <= most);
}

function setOf(options: {
  readonly absent: boolean;
  readonly complement: boolean;
  readonly values?: readonly string[];
  readonly least?: number;
  readonly most?: number;
}): ValueSet {
  const { absent, complement, values = [], least = -Infinity, most = Infinity } = options;
  return { absent, complement, values: new Set(values), least, most };
}
