import { type BacklogGroup, comesTo, remainingOf } from '../placement/backlog.ts';
import { claimTolerates } from '../placement/open-claim.ts';
import type { Demand } from '../pods/demand.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import type { Vector } from '../pools/resource-space.ts';
import type { PoolTypeIndex, Selection } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import { hasRules } from '../topology/allowance.ts';
import type { Worth } from './market-worth.ts';

/** A group of the backlog that could share a claim with the pod that it is opened for. */
export interface Filler {
  readonly group: BacklogGroup;
  /** How its pods ask: the head's may have some of their preferences given up. */
  readonly demand: Demand;
  /** What is left of the claim's types with such a pod on it, by alternative. */
  readonly selections: readonly Selection[];
  /** USD an hour for each pod. */
  readonly worth: number;
  /** True where neither rules nor other zones or types stand in the way: only the room counts. */
  readonly isFree: boolean;
  /** Millicores for each byte that it asks for. */
  readonly cpuForMemory: number;
}

export interface FillerList {
  readonly guests: readonly Filler[];
  readonly placeOf: ReadonlyMap<BacklogGroup, number>;
  /** The least that any of them asks for, by resource. */
  readonly smallest: Vector;
}

/** Who is to fill the claim. */
export interface Party {
  readonly guests: readonly Filler[];
  /** The place of the head among them. */
  readonly head: number;
  /** The places of those that must share the host with the head. */
  readonly sharing: ReadonlySet<number>;
  /** The least that any of them asks for, by resource. */
  readonly smallest: Vector;
}

/** Who could share a claim, remembered by what the claim asks for until the backlog is measured anew. */
export interface FillerIndex {
  readonly worth: Worth;
  fillersFor(types: PoolTypeIndex, set: RequirementSet): FillerList;
  guest(types: PoolTypeIndex, set: RequirementSet, as: Pick<Filler, 'group' | 'demand'>): Filler | undefined;
}

export function fillerIndex(
  backlog: readonly BacklogGroup[],
  worth: Worth,
  { sets, exhausted }: Pick<Run, 'sets' | 'exhausted'>,
): FillerIndex {
  const waiting = backlog.filter((group) => remainingOf(group) > 0);
  const known = new Map<RequirementSet, FillerList>();
  const guest: FillerIndex['guest'] = (types, set, { group, demand }) => {
    const selections: Selection[] = [];
    if (!claimTolerates(types, demand.podClass.pod.spec.tolerations)) return undefined;
    for (const ask of demand.asks) {
      const joined = sets.join(set, ask.set);
      if (joined !== undefined) selections.push(types.selectionFor(joined));
    }
    if (selections.length === 0) return undefined;
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
  return {
    worth,
    guest,
    fillersFor(types, set) {
      const found =
        known.get(set) ??
        fillerList(
          waiting.flatMap((group) =>
            comesTo(group, types, exhausted) ? (guest(types, set, { group, demand: group.demand }) ?? []) : [],
          ),
        );
      known.set(set, found);
      return found;
    },
  };
}

function fillerList(guests: readonly Filler[]): FillerList {
  const smallest = guests[0]?.demand.requests.slice() ?? new Float64Array();
  for (const { demand } of guests)
    demand.requests.forEach((amount, at) => (smallest[at] = Math.min(smallest[at] ?? 0, amount)));
  return { guests, placeOf: new Map(guests.map(({ group }, place) => [group, place])), smallest };
}
