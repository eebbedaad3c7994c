import { type BacklogGroup, canUsePool, remainingOf } from '../placement/backlog.ts';
import { claimTolerates } from '../placement/open-claim.ts';
import type { Demand } from '../pods/demand.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import type { Vector } from '../pools/resource-space.ts';
import type { PoolTypeIndex, Selection } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import { hasRules } from '../topology/allowance.ts';
import type { Worth } from './market-worth.ts';

/** A group of the backlog that could share a claim with the primary pod, for which the claim is opened. */
export interface Filler {
  readonly group: BacklogGroup;
  /** The demand of its pods. Preferences of the primary pod may be relaxed. */
  readonly demand: Demand;
  /** The remaining types of the claim with one of these pods on it, for each requirement alternative. */
  readonly selections: readonly Selection[];
  /** USD per hour for each pod. */
  readonly worth: number;
  /** True if only the room limits the number of these pods: they have no topology rules, no host ports, and keep all types. */
  readonly isFree: boolean;
  /** Requested millicores per requested byte of memory. */
  readonly cpuForMemory: number;
}

export interface FillerList {
  readonly fillers: readonly Filler[];
  readonly placeOf: ReadonlyMap<BacklogGroup, number>;
  /** The smallest request of all fillers, by resource. */
  readonly smallest: Vector;
}

/** The groups that fill one claim. */
export interface FillPlan {
  readonly fillers: readonly Filler[];
  /** The position of the primary group in the list. */
  readonly primary: number;
  /** The positions of the groups that must share the host with the primary pod. */
  readonly sharing: ReadonlySet<number>;
  /** The smallest request of all fillers, by resource. */
  readonly smallest: Vector;
}

/** Finds the groups that could share a claim. The result is cached by the requirements of the claim. */
export interface FillerIndex {
  readonly worth: Worth;
  fillersFor(types: PoolTypeIndex, set: RequirementSet): FillerList;
  /** For the pod for which the claim with these requirements is opened, so that they include its own. */
  primaryFiller(types: PoolTypeIndex, set: RequirementSet, as: Pick<Filler, 'group' | 'demand'>): Filler;
}

export function fillerIndex(
  backlog: readonly BacklogGroup[],
  worth: Worth,
  { fillerJoins, exhausted }: Pick<Run, 'fillerJoins' | 'exhausted'>,
): FillerIndex {
  const waiting = backlog.filter((group) => remainingOf(group) > 0);
  const known = new Map<RequirementSet, FillerList>();
  const selectionsOf = (types: PoolTypeIndex, set: RequirementSet, demand: Demand): readonly Selection[] =>
    demand.alternatives.flatMap((alternative) => {
      const joined = fillerJoins.join(set, alternative.set);
      return joined === undefined ? [] : [types.selectionFor(joined)];
    });
  const fillerWith = (
    types: PoolTypeIndex,
    set: RequirementSet,
    { group, demand, selections }: Pick<Filler, 'group' | 'demand' | 'selections'>,
  ): Filler => {
    const [cpu = 0, memory = 0] = demand.requests;
    return {
      group,
      demand,
      selections,
      worth: worth.of(demand, types),
      isFree:
        selections[0] === types.selectionFor(set) && !hasRules(demand.rules) && demand.podClass.ports.length === 0,
      cpuForMemory: cpu / Math.max(1, memory),
    };
  };
  const possible = (types: PoolTypeIndex, set: RequirementSet, group: BacklogGroup): readonly Filler[] => {
    const { demand } = group;
    const isPossible =
      canUsePool(group, types, exhausted) && claimTolerates(types, demand.podClass.pod.spec.tolerations);
    const selections = isPossible ? selectionsOf(types, set, demand) : [];
    return selections.length === 0 ? [] : [fillerWith(types, set, { group, demand, selections })];
  };
  return {
    worth,
    primaryFiller(types, set, { group, demand }) {
      const joined = selectionsOf(types, set, demand);
      const selections = joined.length === 0 ? [types.selectionFor(set)] : joined;
      return fillerWith(types, set, { group, demand, selections });
    },
    fillersFor(types, set) {
      const found = known.get(set) ?? fillerList(waiting.flatMap((group) => possible(types, set, group)));
      known.set(set, found);
      return found;
    },
  };
}

function fillerList(fillers: readonly Filler[]): FillerList {
  const smallest = fillers[0]?.demand.requests.slice() ?? new Float64Array();
  for (const { demand } of fillers)
    demand.requests.forEach((amount, at) => (smallest[at] = Math.min(smallest[at] ?? 0, amount)));
  return { fillers, placeOf: new Map(fillers.map(({ group }, place) => [group, place])), smallest };
}
