import { addTo, type Bitset, emptyBitset, has, membersOf } from './bitset.ts';
import type { NodeClaimTemplate } from './template.ts';
import type { PoolTypeIndex } from './type-index.ts';

/** Fewer distinct values of a label than minValues asks for. */
export interface Inflexibility {
  readonly key: string;
  readonly values: number;
  readonly minValues: number;
}

export type MinValues = NodeClaimTemplate['minValues'];

/** The first minValues that the types do not keep; undefined where they keep all (B24). */
export function inflexibility(
  minValues: MinValues,
  { types }: PoolTypeIndex,
  among: Bitset,
): Inflexibility | undefined {
  for (const { key, count } of minValues) {
    const values = valuesOf(types, key, among);
    if (values < count) return { key, values, minValues: count };
  }
  return undefined;
}

/** B24: what BestEffort asks of a claim from its opening on: no more than there is. */
export function lowered(minValues: MinValues, { types }: PoolTypeIndex, among: Bitset): MinValues {
  return minValues.map(({ key, count }) => ({ key, count: Math.min(count, valuesOf(types, key, among)) }));
}

function valuesOf(types: PoolTypeIndex['types'], key: string, among: Bitset): number {
  const values = new Set<string>();
  types.forEach(({ requirements }, type) => {
    if (has(among, type)) for (const value of requirements.get(key)?.values ?? []) values.add(value);
  });
  return values.size;
}

/** The target and, the smallest first, the types that bring a value that minValues still lacks. */
export function valuesToKeep({ template, types, rooms }: PoolTypeIndex, among: Bitset, target: number): Bitset {
  const kept = emptyBitset(types.length);
  addTo(kept, target);
  const size = (type: number): number => rooms[type]?.reduce((sum, amount) => sum + amount, 0) ?? 0;
  const ascending = template.minValues.length === 0 ? [] : [...membersOf(among)].toSorted((a, b) => size(a) - size(b));
  for (const { key, count } of template.minValues) {
    const values = new Set(types[target]?.requirements.get(key)?.values);
    for (const type of ascending) {
      if (values.size >= count) break;
      const own = types[type]?.requirements.get(key)?.values ?? new Set<string>();
      if (own.isSubsetOf(values)) continue;
      addTo(kept, type);
      for (const value of own) values.add(value);
    }
  }
  return kept;
}
