import type { FieldProblem } from '../../core/validation/field-problem.ts';
import type { Asked } from './values/asked.ts';
import type { KnownTypeIndex, TypeSet } from './values/type-index.ts';

/** B24: warns of a minValues that the instance types cannot meet. */
export function minValuesAdvice(
  asked: readonly Asked[],
  types: KnownTypeIndex,
  meeting: TypeSet,
): readonly FieldProblem[] {
  return asked.flatMap(({ key, path, minValues }) => {
    if (minValues === undefined || !types.has(key)) return [];
    const count = types.valuesAmong(key, meeting).length;
    if (count >= minValues) return [];
    const message = `requires ${minValues} values of ${key}, but the instance types that meet the requirements have ${count}, so the pool can never launch a node`;
    return [{ path: [...path, 'minValues'], message, allowed: `at most ${count}, or wider requirements` }];
  });
}
