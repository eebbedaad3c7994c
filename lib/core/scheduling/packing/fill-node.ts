import { ZONE } from '../../../apis/labels.ts';
import { type BacklogGroup, remainingOf } from '../placement/backlog.ts';
import { offers, type Target } from '../placement/open-claim.ts';
import type { Demand } from '../pods/demand.ts';
import { CPU, fitsIn, MEMORY, takeFrom, type Vector } from '../pools/resource-space.ts';
import type { Cell, PoolTypeIndex } from '../pools/type-index.ts';
import type { Counter } from '../topology/counters.ts';
import { isOverfull, type SpreadRule, startsGroup, type TopologyRule } from '../topology/rules.ts';
import type { Filler, FillPlan } from './fillers.ts';

/** The pods that would fill a new node of a type. */
export interface Filled {
  readonly pattern: readonly { readonly group: BacklogGroup; readonly count: number }[];
  /** The cost of its pods in the cheapest fleet. */
  readonly worth: number;
  /** The same for the pods that have the requirements of the primary pod. */
  readonly ownWorth: number;
  /** The number of pods that must share the host and do not fit. */
  readonly missing: number;
}

/** A node that is being filled. */
interface Filling {
  readonly room: Vector;
  readonly onHost: Map<Counter, number>;
  /** The spread over hosts of the added pods. */
  readonly spread: Set<SpreadRule>;
  /** The number of added pods by filler. */
  readonly added: Map<number, number>;
}

/** Adds one pod of the filler, if it fits. */
type TryAdd = (at: number) => boolean;

/**
 * Fills a node of the type from the backlog. Pods that must share the host come first. Then it alternates between cpu-heavy pods
 * (more cpu per byte of memory than the type) and memory-heavy pods, by the room that is left, so that cpu and memory run out
 * together. Each of the two lists keeps the order of the fillers.
 * `limits`: a cache, by filler, of how many pods the cell can take.
 */
export function fill(
  types: PoolTypeIndex,
  fillPlan: FillPlan,
  { target, limits }: { readonly target: Target; readonly limits: Map<number, number> },
): Filled {
  const { fillers } = fillPlan;
  const room = (types.rooms[target.type] ?? new Float64Array()).slice();
  const filling: Filling = { room, onHost: new Map(), spread: new Set(), added: new Map() };
  const cell = types.cells[target.cell];
  const limitOf = (at: number, filler: Filler): number => {
    const known = limits.get(at);
    if (known !== undefined) return known;
    const max = filler.isFree ? remainingOf(filler.group) : maxOf(filler, cell, at === fillPlan.primary);
    limits.set(at, max);
    return max;
  };
  const tryAdd: TryAdd = (at) => {
    const filler = fillers[at];
    if (filler === undefined || !fitsIn(filler.demand.requests, room)) return false;
    const added = filling.added.get(at) ?? 0;
    if (added >= limitOf(at, filler)) return false;
    if (!filler.isFree) {
      if (added === 0 && !filler.selections.some((one) => offers(one, target))) return false;
      if (maxOnHost(filler.demand, filling.onHost) <= 0) return false;
    }
    // B69: the claim would refuse the pod.
    if (isOverfull(filling.spread, filler.demand, (counter) => filling.onHost.get(counter))) return false;
    addPods(filler.demand, 1, filling);
    filling.added.set(at, added + 1);
    return true;
  };
  tryAdd(fillPlan.primary);
  for (const at of fillPlan.sharing) while (tryAdd(at));
  addAlternating(fillPlan, room, tryAdd);
  return summarize(fillPlan, filling);
}

function maxOf(filler: Filler, cell: Cell | undefined, isPrimary: boolean): number {
  const max = Math.min(remainingOf(filler.group), maxInCell(filler, cell));
  return isPrimary ? Math.max(1, max) : max;
}

/** Adds cpu-heavy or memory-heavy fillers, each list in order, depending on which resource the room has more of. */
function addAlternating({ fillers, smallest }: FillPlan, room: Vector, tryAdd: TryAdd): void {
  const ratio = (room[CPU] ?? 0) / (room[MEMORY] ?? 1);
  const next = (from: number, cpuHeavy: boolean): number => {
    let at = from;
    while (at < fillers.length && (fillers[at]?.cpuForMemory ?? 0) >= ratio !== cpuHeavy) at += 1;
    return at;
  };
  let [cpu, memory] = [next(0, true), next(0, false)];
  while (cpu < fillers.length || memory < fillers.length) {
    const hasMoreCpu = (room[CPU] ?? 0) >= ratio * (room[MEMORY] ?? 0);
    const usesCpu = memory >= fillers.length || (hasMoreCpu && cpu < fillers.length);
    if (tryAdd(usesCpu ? cpu : memory)) {
      if (!fitsIn(smallest, room)) return;
      continue;
    }
    if (usesCpu) cpu = next(cpu + 1, true);
    else memory = next(memory + 1, false);
  }
}

function summarize({ fillers, primary, sharing }: FillPlan, { added }: Filling): Filled {
  const primarySet = fillers[primary]?.demand.alternatives[0]?.set;
  let [worth, ownWorth, missing] = [0, 0, 0];
  const pattern: { readonly group: BacklogGroup; readonly count: number }[] = [];
  // In the order of the backlog.
  for (const [at, count] of [...added].toSorted(([a], [b]) => a - b)) {
    const filler = fillers[at];
    if (filler === undefined) continue;
    worth += count * filler.worth;
    if (filler.demand.alternatives[0]?.set === primarySet) ownWorth += count * filler.worth;
    pattern.push({ group: filler.group, count });
  }
  for (const at of sharing) {
    const group = fillers[at]?.group;
    if (group !== undefined) missing += remainingOf(group) - (added.get(at) ?? 0);
  }
  return { pattern, worth, ownWorth, missing };
}

function addPods(demand: Demand, count: number, { room, onHost, spread }: Filling): void {
  for (const rule of demand.rules.keepingFree) spread.add(rule);
  takeFrom(room, demand.requests, count);
  for (const counter of demand.hostCounters) onHost.set(counter, (onHost.get(counter) ?? 0) + count);
}

/** How many more of these pods one new host can take. */
function maxOnHost({ rules, hostCounters, podClass }: Demand, onHost: ReadonlyMap<Counter, number>): number {
  let max = podClass.ports.length > 0 ? 1 : Number.MAX_SAFE_INTEGER;
  for (const rule of rules.onHost) max = Math.min(max, maxByRule(rule, onHost.get(rule.counter) ?? 0, hostCounters));
  return max;
}

function maxByRule(rule: TopologyRule, matching: number, hostCounters: readonly Counter[]): number {
  switch (rule.kind) {
    case 'spread':
      if (rule.self === 0) return matching > rule.maxSkew ? 0 : Number.MAX_SAFE_INTEGER;
      return Math.max(0, rule.maxSkew - matching);
    case 'repel':
      if (matching > 0) return 0;
      return hostCounters.includes(rule.counter) ? 1 : Number.MAX_SAFE_INTEGER;
    case 'attract':
      return matching > 0 || startsGroup(rule) ? Number.MAX_SAFE_INTEGER : 0;
  }
}

/** An estimate of how many pods of the group the cell's zone and capacity type will get: an equal share if the pods spread. */
function maxInCell({ demand, group }: Filler, cell: Cell | undefined): number {
  const remaining = remainingOf(group);
  let max = Number.MAX_SAFE_INTEGER;
  if (cell === undefined) return max;
  for (const { key, rules } of demand.rules.byKey) {
    const domain = key.domainOf.get(key.name === ZONE ? cell.zone : cell.capacityType);
    if (rules.length === 0 || domain === undefined) continue;
    for (const rule of rules) {
      // B54: a domain has at most one pod of a group whose anti-affinity selects its own pods.
      const isAntiAffine = rule.kind === 'repel' && demand.countedBy.has(rule.counter);
      max = Math.min(max, isAntiAffine ? 1 : max, maxInDomain(rule, domain, remaining));
    }
  }
  return max;
}

function maxInDomain(rule: TopologyRule, domain: number, remaining: number): number {
  const matching = rule.counter.counts[domain] ?? 0;
  switch (rule.kind) {
    case 'spread':
      return Math.ceil(remaining / Math.max(1, rule.eligible.length));
    case 'repel':
      return matching > 0 ? 0 : Number.MAX_SAFE_INTEGER;
    case 'attract':
      return matching > 0 || startsGroup(rule) ? Number.MAX_SAFE_INTEGER : 0;
  }
}
