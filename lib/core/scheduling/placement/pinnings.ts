import type { Bitset } from '../pools/bitset.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { isAvailable, type PoolTypeIndex } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import { type KeyRules, onlyRepel } from '../topology/rules.ts';
import { pinTo } from './open-claim.ts';

/** The maximum number of combinations of domains that are tried. */
const MAX_PINNINGS = 64;

/**
 * All sets in which each label of the pod's own rules is narrowed to one domain, best domains first. `evenly`: only to domains that are to be
 * used if possible (`evenDomains`).
 */
export function pinnings(
  run: Pick<Run, 'sets' | 'allowance'>,
  byKey: readonly KeyRules[],
  {
    types,
    set,
    fitting,
    evenly = false,
  }: {
    readonly types: PoolTypeIndex;
    readonly set: RequirementSet;
    readonly fitting: Bitset;
    readonly evenly?: boolean;
  },
): readonly RequirementSet[] {
  let sets: readonly RequirementSet[] = [set];
  for (const keyRules of byKey) {
    if (keyRules.rules.length === 0) continue;
    const { order: allowed, isEven } = run.allowance(keyRules);
    const order = evenly ? allowed.filter((domain) => isEven[domain] === 1) : allowed;
    const choices = keyRules.pins ? order.map((domain) => [domain]) : [order];
    const isWithout = (one: RequirementSet): boolean => keyRules.key.openTo(one).length === 0 && onlyRepel(keyRules);
    sets = sets
      .flatMap((one) =>
        isWithout(one)
          ? [one]
          : choices.flatMap((domains) => pinTo(run.sets, one, { key: keyRules.key, domains }) ?? []),
      )
      .filter((one, _, all) => all.length <= MAX_PINNINGS || isAvailable(types, one, fitting))
      .slice(0, MAX_PINNINGS);
  }
  return sets;
}
