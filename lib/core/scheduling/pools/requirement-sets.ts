import type { Requirement } from '../../requirements/requirement.ts';
import { includes, isCompatible, merge, type Requirements } from '../../requirements/requirements.ts';

/** Interned requirements. Equal requirements are one object with one number, so they are compared and cached by number. */
export interface RequirementSet {
  readonly id: number;
  readonly requirements: Requirements;
}

/** The requirement sets of one run. */
export interface RequirementSets {
  intern(requirements: Requirements): RequirementSet;
  /**
   * The intersection of the two sets; undefined if they are incompatible (A0.5: well-known labels may be undefined).
   * *Cost:* one look-up after the first call for a pair.
   */
  join(offered: RequirementSet, asked: RequirementSet): RequirementSet | undefined;
}

/** Joins the requirements of pods that could share a node, up to a number of different pairs in a run. */
export interface LimitedJoins extends Pick<RequirementSets, 'join'> {
  /** True if a pair was left out: these pods were planned as if they could not share a node. */
  isExhausted(): boolean;
}

/**
 * `max`: the number of different pairs. Those that need no new set do not count: they are incompatible, or the first has all that the second
 * asks for. What other runs have joined does not affect it. *Cost:* O(labels), and at most `max` new sets, of which each is compared with all
 * instance types.
 */
export function limitedJoins(sets: Pick<RequirementSets, 'join'>, max: number): LimitedJoins {
  const seen: Set<number>[] = [];
  let left = max;
  let isExhausted = false;
  return {
    isExhausted: () => isExhausted,
    join(offered, asked) {
      if (asked.requirements.size === 0 || offered === asked) return offered;
      const joined = (seen[offered.id] ??= new Set());
      if (joined.has(asked.id)) return sets.join(offered, asked);
      if (!isCompatible(offered.requirements, asked.requirements)) return undefined;
      if (includes(offered.requirements, asked.requirements)) return offered;
      isExhausted ||= left === 0;
      if (left === 0) return undefined;
      left -= 1;
      joined.add(asked.id);
      return sets.join(offered, asked);
    },
  };
}

export function requirementSets(): RequirementSets {
  const byText = new Map<string, RequirementSet>();
  const joined: Map<number, RequirementSet | undefined>[] = [];
  const intern = (requirements: Requirements): RequirementSet => {
    const text = [...requirements.values()].map(textOf).toSorted().join('\n');
    const known = byText.get(text);
    if (known !== undefined) return known;
    const made = { id: byText.size, requirements };
    byText.set(text, made);
    joined.push(new Map());
    return made;
  };
  const join = (offered: RequirementSet, asked: RequirementSet): RequirementSet | undefined => {
    if (asked.requirements.size === 0 || offered === asked) return offered;
    const known = joined[offered.id];
    if (known?.has(asked.id) === true) return known.get(asked.id);
    const agree = isCompatible(offered.requirements, asked.requirements);
    const made = agree ? intern(merge(offered.requirements, asked.requirements)) : undefined;
    known?.set(asked.id, made);
    return made;
  };
  return { intern, join };
}

function textOf(one: Requirement): string {
  const { key, complement, mustExist, gte, lte, minValues } = one;
  return [key, complement, mustExist, gte, lte, minValues, ...[...one.values].toSorted()].join('\t');
}
