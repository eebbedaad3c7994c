import { addTo, type Bitset, emptyBitset, has, membersOf } from './bitset.ts';
import type { Selection, TypeIndex } from './type-index.ts';

/** Fewer distinct values of a label than minValues asks for. */
export interface Inflexibility {
  readonly key: string;
  readonly values: number;
  readonly minValues: number;
}

/** The first minValues of the pool that the types do not keep; undefined where they keep all (B24). */
export function inflexibility(index: TypeIndex, selection: Selection, fitting: Bitset): Inflexibility | undefined {
  for (const { key, count } of index.template.minValues) {
    const values = new Set<string>();
    index.types.forEach(({ requirements }, type) => {
      if (!has(fitting, type) || !has(selection.types, type)) return;
      for (const value of requirements.get(key)?.values ?? []) values.add(value);
    });
    if (values.size < count) return { key, values: values.size, minValues: count };
  }
  return undefined;
}

/** The target and, the smallest first, the types that bring a value that minValues still lacks. */
export function valuesToKeep({ template, types, rooms }: TypeIndex, among: Bitset, target: number): Bitset {
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
