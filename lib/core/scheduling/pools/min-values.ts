import { valuesOf } from '../../instance-type/type-requirements.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import { addTo, type Bitset, emptyBitset, has, membersOf } from './bitset.ts';
import type { NodeClaimTemplate } from './template.ts';
import type { PoolTypeIndex } from './type-index.ts';

/** A label with fewer distinct values than minValues requires. */
export interface Inflexibility {
  readonly key: string;
  readonly values: number;
  readonly minValues: number;
}

export type MinValues = NodeClaimTemplate['minValues'];

/** The first minValues that the types do not satisfy; undefined if they satisfy all (B24). */
export function inflexibility(
  minValues: MinValues,
  { types }: PoolTypeIndex,
  among: Bitset,
): Inflexibility | undefined {
  for (const { key, count } of minValues) {
    const values = countValues(types, key, among);
    if (values < count) return { key, values, minValues: count };
  }
  return undefined;
}

/** B24: the minValues of a claim under the BestEffort policy: at most the number of values when it is opened. */
export function lowered(minValues: MinValues, { types }: PoolTypeIndex, among: Bitset): MinValues {
  return minValues.map(({ key, count }) => ({ key, count: Math.min(count, countValues(types, key, among)) }));
}

/** The requirements with other minValues. *Shape:* a label without a remaining value has none. */
export function withMinValues(requirements: Requirements, minValues: MinValues): Requirements {
  const changed = new Map(requirements);
  for (const { key, count } of minValues) {
    const before = changed.get(key);
    if (before === undefined) continue;
    const { minValues: _required, ...one } = before;
    changed.set(key, count === 0 ? one : { ...one, minValues: count });
  }
  return changed;
}

function countValues(types: PoolTypeIndex['types'], key: string, among: Bitset): number {
  const values = new Set<string>();
  types.forEach((one, type) => {
    if (has(among, type)) for (const value of valuesOf(one, key)) values.add(value);
  });
  return values.size;
}

/** The target, and the smallest types that add the values that minValues requires. */
export function valuesToKeep({ template, types, rooms }: PoolTypeIndex, among: Bitset, target: number): Bitset {
  const kept = emptyBitset(types.length);
  addTo(kept, target);
  const size = (type: number): number => rooms[type]?.reduce((sum, amount) => sum + amount, 0) ?? 0;
  const ascending = template.minValues.length === 0 ? [] : [...membersOf(among)].toSorted((a, b) => size(a) - size(b));
  for (const { key, count } of template.minValues) {
    const targetType = types[target];
    const values = new Set(targetType === undefined ? [] : valuesOf(targetType, key));
    for (const type of ascending) {
      if (values.size >= count) break;
      const one = types[type];
      const own = one === undefined ? [] : valuesOf(one, key);
      if (own.every((value) => values.has(value))) continue;
      addTo(kept, type);
      for (const value of own) values.add(value);
    }
  }
  return kept;
}
