import { ZONE } from '../../../apis/labels.ts';
import { type BacklogGroup, remainingOf } from '../placement/backlog.ts';
import { offers, type Target } from '../placement/open-claim.ts';
import type { Demand } from '../pods/demand.ts';
import { fitsIn, takeFrom, type Vector } from '../pools/resource-space.ts';
import type { Cell, PoolTypeIndex } from '../pools/type-index.ts';
import type { Counter } from '../topology/counters.ts';
import { startsGroup, type TopologyRule } from '../topology/rules.ts';
import type { Filler, Party } from './fillers.ts';

/** What a new node of a type would be filled with. */
export interface Filled {
  readonly pattern: readonly { readonly group: BacklogGroup; readonly count: number }[];
  /** What its pods would cost in the cheapest fleet. */
  readonly worth: number;
  /** The same of those that ask for what the head asks for. */
  readonly ownWorth: number;
  /** How many pods that must share the host do not fit. */
  readonly missing: number;
}

/** A node while it fills. */
interface Filling {
  readonly room: Vector;
  readonly onHost: Map<Counter, number>;
  /** By guest. */
  readonly seated: Map<number, number>;
}

/** Takes one pod of the guest in, if it may. */
type Sit = (at: number) => boolean;

/**
 * Fills a node of the type from the backlog. Those that must share the host come first; then, of the pods that need more
 * cpu for their memory than the type has and of those that need less, whichever the room that is left asks for: in each of
 * the two in the order of the guests, so that the room runs out of both at once.
 * `limits`: by guest, how many may be in the cell, as far as that is worked out.
 */
export function fill(
  types: PoolTypeIndex,
  party: Party,
  { target, limits }: { readonly target: Target; readonly limits: Map<number, number> },
): Filled {
  const { guests } = party;
  const room = (types.rooms[target.type] ?? new Float64Array()).slice();
  const filling: Filling = { room, onHost: new Map(), seated: new Map() };
  const cell = types.cells[target.cell];
  const limitOf = (at: number, guest: Filler): number => {
    const known = limits.get(at);
    if (known !== undefined) return known;
    const most = guest.isFree ? remainingOf(guest.group) : mostOf(guest, cell, at === party.head);
    limits.set(at, most);
    return most;
  };
  const sit: Sit = (at) => {
    const guest = guests[at];
    if (guest === undefined || !fitsIn(guest.demand.requests, room)) return false;
    const seated = filling.seated.get(at) ?? 0;
    if (seated >= limitOf(at, guest)) return false;
    if (!guest.isFree) {
      if (seated === 0 && !guest.selections.some((one) => offers(one, target))) return false;
      if (mostOnHost(guest.demand, filling.onHost) <= 0) return false;
    }
    seat(guest.demand, 1, filling);
    filling.seated.set(at, seated + 1);
    return true;
  };
  sit(party.head);
  for (const at of party.sharing) while (sit(at));
  sitInTurn(party, room, sit);
  return summed(party, filling);
}

function mostOf(guest: Filler, cell: Cell | undefined, isHead: boolean): number {
  const most = Math.min(remainingOf(guest.group), mostInCell(guest, cell));
  return isHead ? Math.max(1, most) : most;
}

/** The guests that lean to cpu and those that lean to memory, each list from its start, in turn as the room asks. */
function sitInTurn({ guests, smallest }: Party, room: Vector, sit: Sit): void {
  const ratio = (room[CPU] ?? 0) / (room[MEMORY] ?? 1);
  const next = (from: number, leansToCpu: boolean): number => {
    let at = from;
    while (at < guests.length && (guests[at]?.cpuForMemory ?? 0) >= ratio !== leansToCpu) at += 1;
    return at;
  };
  let [cpu, memory] = [next(0, true), next(0, false)];
  while (cpu < guests.length || memory < guests.length) {
    const wantsCpu = (room[CPU] ?? 0) >= ratio * (room[MEMORY] ?? 0);
    const takesCpu = memory >= guests.length || (wantsCpu && cpu < guests.length);
    if (sit(takesCpu ? cpu : memory)) {
      if (!fitsIn(smallest, room)) return;
      continue;
    }
    if (takesCpu) cpu = next(cpu + 1, true);
    else memory = next(memory + 1, false);
  }
}

/** Where every resource space has them. */
const CPU = 0;
const MEMORY = 1;

function summed({ guests, head, sharing }: Party, { seated }: Filling): Filled {
  const ask = guests[head]?.demand.asks[0]?.set;
  let [worth, ownWorth, missing] = [0, 0, 0];
  const pattern: { readonly group: BacklogGroup; readonly count: number }[] = [];
  // The first of the backlog first.
  for (const [at, count] of [...seated].toSorted(([a], [b]) => a - b)) {
    const guest = guests[at];
    if (guest === undefined) continue;
    worth += count * guest.worth;
    if (guest.demand.asks[0]?.set === ask) ownWorth += count * guest.worth;
    pattern.push({ group: guest.group, count });
  }
  for (const at of sharing) {
    const group = guests[at]?.group;
    if (group !== undefined) missing += remainingOf(group) - (seated.get(at) ?? 0);
  }
  return { pattern, worth, ownWorth, missing };
}

function seat(demand: Demand, count: number, { room, onHost }: Filling): void {
  takeFrom(room, demand.requests, count);
  for (const counter of demand.hostCounters) onHost.set(counter, (onHost.get(counter) ?? 0) + count);
}

/** How many more such pods one new host may have. */
function mostOnHost({ rules, hostCounters, podClass }: Demand, onHost: ReadonlyMap<Counter, number>): number {
  let most = podClass.ports.length > 0 ? 1 : Number.MAX_SAFE_INTEGER;
  for (const rule of rules.onHost) most = Math.min(most, mostByRule(rule, onHost.get(rule.counter) ?? 0, hostCounters));
  return most;
}

function mostByRule(rule: TopologyRule, there: number, hostCounters: readonly Counter[]): number {
  switch (rule.kind) {
    case 'spread':
      if (rule.self === 0) return there > rule.maxSkew ? 0 : Number.MAX_SAFE_INTEGER;
      return Math.max(0, rule.maxSkew - there);
    case 'repel':
      if (there > 0) return 0;
      return hostCounters.includes(rule.counter) ? 1 : Number.MAX_SAFE_INTEGER;
    case 'attract':
      return there > 0 || startsGroup(rule) ? Number.MAX_SAFE_INTEGER : 0;
  }
}

/** How many pods of the group the cell's zone and capacity type are likely to get: a fair share where they spread. */
function mostInCell({ demand, group }: Filler, cell: Cell | undefined): number {
  const remaining = remainingOf(group);
  let most = Number.MAX_SAFE_INTEGER;
  if (cell === undefined) return most;
  for (const { key, rules } of demand.rules.byKey) {
    const domain = key.domainOf.get(key.name === ZONE ? cell.zone : cell.capacityType);
    if (rules.length === 0 || domain === undefined) continue;
    for (const rule of rules) {
      // B54: of pods that keep away from each other a domain has one.
      const keepsApart = rule.kind === 'repel' && demand.countedBy.has(rule.counter);
      most = Math.min(most, keepsApart ? 1 : most, mostInDomain(rule, domain, remaining));
    }
  }
  return most;
}

function mostInDomain(rule: TopologyRule, domain: number, remaining: number): number {
  const there = rule.counter.counts[domain] ?? 0;
  switch (rule.kind) {
    case 'spread':
      return Math.ceil(remaining / Math.max(1, rule.eligible.length));
    case 'repel':
      return there > 0 ? 0 : Number.MAX_SAFE_INTEGER;
    case 'attract':
      return there > 0 || startsGroup(rule) ? Number.MAX_SAFE_INTEGER : 0;
  }
}
