import { admitsNothing, implies, inRequirement, type Requirement } from '../../requirements/requirement.ts';
import { intersects, merge, type Requirements } from '../../requirements/requirements.ts';

/** Requirements of which a node has to meet any one; none at all means that no node will do. */
export type Alternatives = readonly Requirements[];

/** No more than these are weighed: more come of nonsense only. */
export const MAX_ALTERNATIVES = 64;

/**
 * Every way to meet both, without those that contradict themselves; undefined where there are too many.
 * *Cost:* O(a × b × MAX_ALTERNATIVES) at the worst.
 */
export function crossProduct(a: Alternatives, b: Alternatives): Alternatives | undefined {
  let all: Alternatives = [];
  for (const one of a) {
    for (const other of b) {
      if (intersects(one, other)) all = withAlternative(all, merge(one, other));
      if (all.length > MAX_ALTERNATIVES) return undefined;
    }
  }
  return all;
}

/** The same in as few as can easily be had: zone a, or zone b, is a zone of a and b. Undefined where too many are left. */
export function reduced(all: Alternatives): Alternatives | undefined {
  let kept: Alternatives = [];
  for (const one of all) {
    if (isPossible(one)) kept = withAlternative(kept, one);
    if (kept.length > MAX_ALTERNATIVES) return undefined;
  }
  return kept;
}

function withAlternative(kept: Alternatives, added: Requirements): Alternatives {
  if (kept.some((one) => admitsAll(one, added))) return kept;
  const others = kept.filter((one) => !admitsAll(added, one));
  for (const [index, one] of others.entries()) {
    const union = unionOf(one, added);
    if (union !== undefined) return withAlternative(others.toSpliced(index, 1), union);
  }
  return [...others, added];
}

/** True where whatever meets `narrow` meets `wide`. */
function admitsAll(wide: Requirements, narrow: Requirements): boolean {
  for (const [key, one] of wide) {
    const other = narrow.get(key);
    if (other === undefined || !implies(other, one)) return false;
  }
  return true;
}

/** Two that differ in the listed values of one label alone are one with the values of both. */
function unionOf(a: Requirements, b: Requirements): Requirements | undefined {
  if (a.size !== b.size) return undefined;
  let differing: readonly [Requirement, Requirement] | undefined;
  for (const [key, one] of a) {
    const other = b.get(key);
    if (other === undefined) return undefined;
    if (implies(one, other) && implies(other, one)) continue;
    if (differing !== undefined || !isList(one) || !isList(other)) return undefined;
    differing = [one, other];
  }
  if (differing === undefined) return undefined;
  const [{ key, values }, other] = differing;
  return new Map(a).set(key, inRequirement(key, values.union(other.values)));
}

function isList(one: Requirement): boolean {
  return !one.complement && one.values.size > 0;
}

function isPossible(all: Requirements): boolean {
  return all.values().every((one) => !admitsNothing(one) || !one.mustExist);
}
