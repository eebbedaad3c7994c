import { admitsNothing, implies, inRequirement, type Requirement } from '../../requirements/requirement.ts';
import { intersects, merge, type Requirements } from '../../requirements/requirements.ts';

/** Requirements of which a node must satisfy at least one. An empty list means that no node can satisfy them. */
export type Alternatives = readonly Requirements[];

/** The maximum number of alternatives. Reasonable configurations have far fewer. */
export const MAX_ALTERNATIVES = 64;

/**
 * All combinations that satisfy both, without contradictions; undefined if there are more than MAX_ALTERNATIVES.
 * *Cost:* O(a × b × MAX_ALTERNATIVES) in the worst case.
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

/** Merges alternatives where possible: zone a, or zone b, becomes zone in (a, b). Undefined if more than MAX_ALTERNATIVES remain. */
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

/** True if everything that satisfies `narrow` also satisfies `wide`. */
function admitsAll(wide: Requirements, narrow: Requirements): boolean {
  for (const [key, one] of wide) {
    const other = narrow.get(key);
    if (other === undefined || !implies(other, one)) return false;
  }
  return true;
}

/** Merges two alternatives that differ only in the listed values of one label. */
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
