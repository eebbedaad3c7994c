import type { FillerIndex } from '../packing/fillers.ts';
import type { Demand } from '../pods/demand.ts';
import { takeFrom, timesIn } from '../pools/resource-space.ts';
import type { Run } from '../run.ts';
import { hasRules, keepsTo } from '../topology/allowance.ts';
import { type HostAnswer, hostAnswer } from '../topology/rules.ts';
import type { BacklogGroup } from './backlog.ts';
import { remainingOf } from './backlog.ts';
import { type ExistingHost, hostHasRoom } from './existing-host.ts';
import { carryOutGrowth, cheapestGrowth, type Growth, growthOf } from './grow.ts';
import { join, type OpenClaim, tryJoin } from './open-claim.ts';
import { type Opening, openingFor, openPlanned } from './opening.ts';
import type { Deferral } from './why-deferred.ts';

/** The hosts that a demand has not been refused by for good: they only ever fill up. */
interface Prospects {
  readonly hosts: HostQueue;
  readonly claims: OpenClaim[];
  /** How many of the claims that were opened, or grew, it has heard of. */
  heard: number;
  /** True once no pool can give it a new claim, whatever else happens. */
  isHopeless: boolean;
  /** B59: the reserved capacity for the sake of which it was last given no new claim. */
  deferral: Deferral | undefined;
}

/** Hosts that were asked and may be asked again, then the rest of the list, which the run shares with others. */
interface HostQueue {
  readonly asked: ExistingHost[];
  readonly all: readonly ExistingHost[];
  next: number;
}

export interface Placing {
  readonly run: Run;
  readonly backlog: readonly BacklogGroup[];
  /** Claims in the order in which they were opened, and again where they grew. */
  readonly news: OpenClaim[];
  readonly prospects: Map<Demand, Prospects>;
  readonly guestBook: () => FillerIndex;
}

/**
 * Places at least one pod of the group, under the demand as it is: on an existing node, else on an open claim that it makes
 * no dearer, else on a new claim, else on an open claim that grows (B33–B35). *Shape:* false where there is no place.
 */
export function place(placing: Placing, group: BacklogGroup, demand: Demand): boolean {
  const asking = { group, demand, prospects: prospectsFor(placing, demand) };
  if (placing.run.goal.isGreedy) {
    return placeOnHost(placing, asking) || growFewest(placing, asking) || placeOnNewClaim(placing, asking);
  }
  return (
    placeOnHost(placing, asking) ||
    placeOnClaim(placing, asking) ||
    placeOnNewClaim(placing, asking) ||
    growClaim(placing, asking)
  );
}

/** Places at least one pod of the group on a node that is there. */
export function placeOnNodes(placing: Placing, group: BacklogGroup, demand: Demand): boolean {
  return placeOnHost(placing, { group, demand, prospects: prospectsFor(placing, demand) });
}

function prospectsFor(placing: Placing, demand: Demand): Prospects {
  const known = placing.prospects.get(demand) ?? prospectsOf(placing, demand);
  placing.prospects.set(demand, known);
  return known;
}

interface Asking {
  readonly group: BacklogGroup;
  readonly demand: Demand;
  readonly prospects: Prospects;
}

function prospectsOf({ run }: Placing, demand: Demand): Prospects {
  const hosts = { asked: [], all: run.hostsFor(demand), next: 0 };
  return { hosts, claims: [], heard: 0, isHopeless: false, deferral: undefined };
}

/** The first of the list that takes the pod, with what it says to it. Those that never will leave the list. */
function firstTaker<Taker, Answer>(
  list: Taker[],
  ask: (taker: Taker) => Answer | 'later' | 'never',
): { readonly taker: Taker; readonly answer: Answer } | undefined {
  let kept = 0;
  let asked = 0;
  let found: { readonly taker: Taker; readonly answer: Answer } | undefined;
  for (const taker of list) {
    asked += 1;
    const answer = ask(taker);
    if (answer === 'never') continue;
    list[kept] = taker;
    kept += 1;
    if (answer === 'later') continue;
    found = { taker, answer };
    break;
  }
  if (kept < asked) list.splice(kept, asked - kept);
  return found;
}

/** B33: the first node, in order, that takes the pod. */
function placeOnHost({ run }: Placing, { group, demand, prospects }: Asking): boolean {
  const found = firstHost(run, prospects.hosts, demand);
  if (found === undefined) return false;
  putOnHost(run, found, { group, demand, count: howMany(group, demand, run.rooms.of(found).room) });
  return true;
}

/** The first host that takes such a pod. *Cost:* of the hosts that were not asked before, only those that come before it. */
function firstHost(run: Run, queue: HostQueue, demand: Demand): ExistingHost | undefined {
  const ask = (host: ExistingHost): HostAnswer => {
    if (!hostHasRoom(host, run.rooms.of(host), demand)) return 'never';
    const onHost = hostAnswer(demand.rules.onHost, host.index);
    return onHost === 'yes' && !keepsToKeys(run, host, demand) ? 'later' : onHost;
  };
  const again = firstTaker(queue.asked, ask);
  if (again !== undefined) return again.taker;
  while (queue.next < queue.all.length) {
    const host = queue.all[queue.next];
    queue.next += 1;
    if (host === undefined || !isOpen(run, host, demand)) continue;
    const answer = ask(host);
    if (answer !== 'never') queue.asked.push(host);
    if (answer === 'yes') return host;
  }
  return undefined;
}

/** B33: pods that are only moved may not go to protected nodes. */
function isOpen({ gone, protectedNodes }: Run, host: ExistingHost, { podClass }: Demand): boolean {
  return !gone.has(host) && !(podClass.moving && protectedNodes.has(host.stateNode.name));
}

function keepsToKeys(run: Run, host: ExistingHost, { rules }: Demand): boolean {
  return rules.byKey.every((keyRules) => keepsTo(keyRules, host.domainsOf(keyRules.key), run.allowance(keyRules)));
}

/** Where no rule counts them, as many as there is room for go at once. */
function howMany(group: BacklogGroup, demand: Demand, room: Demand['requests']): number {
  const isFree = !hasRules(demand.rules) && demand.podClass.ports.length === 0 && demand.attachments.size === 0;
  return isFree ? Math.min(remainingOf(group), timesIn(demand.requests, room)) : 1;
}

/** B24: where types must be left to choose from, each pod is asked about. */
function howManyOnClaim(group: BacklogGroup, demand: Demand, { types, room }: OpenClaim): number {
  return types.template.minValues.length > 0 ? 1 : howMany(group, demand, room);
}

export function putOnHost(
  run: Run,
  host: ExistingHost,
  { group, demand, count }: { readonly group: BacklogGroup; readonly demand: Demand; readonly count: number },
): void {
  const pods = run.placedOn.get(host) ?? [];
  run.placedOn.set(host, pods);
  for (let placed = 0; placed < count; placed += 1) {
    run.rooms.take(host, demand);
    run.counters.record(demand.podClass, host);
  }
  pods.push(...group.pods.slice(group.placed, group.placed + count));
  group.placed += count;
  run.tally.placed += count;
}

/** The first claim, in the order in which they were opened, that the pod makes no dearer. */
function placeOnClaim({ run, news }: Placing, { group, demand, prospects }: Asking): boolean {
  for (; prospects.heard < news.length; prospects.heard += 1) {
    const claim = news[prospects.heard];
    if (claim !== undefined) prospects.claims.push(claim);
  }
  const found = firstTaker(prospects.claims, (claim) => tryJoin(claim, demand, run));
  if (found === undefined) return false;
  const { taker: claim, answer: set } = found;
  putOnClaim(run, claim, { group, demand, set, count: howManyOnClaim(group, demand, claim) });
  return true;
}

interface Putting {
  readonly group: BacklogGroup;
  readonly demand: Demand;
  readonly set: OpenClaim['set'];
  readonly count: number;
}

function putOnClaim(run: Run, claim: OpenClaim, { group, demand, set, count }: Putting): void {
  const pods = group.pods.slice(group.placed, group.placed + count);
  join(claim, demand, { set, pods, limits: run.limits });
  for (let placed = 0; placed < count; placed += 1) run.counters.record(demand.podClass, claim);
  group.placed += count;
  run.tally.placed += count;
}

/**
 * B35: the heaviest pool that can have a claim for the pod; then those that the claim was sized for come along. Where an
 * open claim would take them all for less, it grows instead.
 */
function placeOnNewClaim(placing: Placing, { group, demand, prospects }: Asking): boolean {
  const { run, news } = placing;
  if (prospects.isHopeless) return false;
  const found = openingFor({ run, head: group, demand, guestBook: placing.guestBook() });
  prospects.deferral = found.kind === 'deferred' ? found : undefined;
  if (found.kind !== 'found') {
    prospects.isHopeless = found.kind === 'refused' && found.forGood;
    return false;
  }
  const growth = run.goal.isGreedy ? undefined : growthInstead(run, demand, found);
  const claim = growth?.claim ?? openPlanned(run, found);
  if (growth !== undefined) carryOutGrowth(run, growth);
  news.push(claim);
  putOnClaim(run, claim, { group, demand, set: growth?.set ?? found.set, count: 1 });
  for (const { group: guest, count } of found.plan.pattern) {
    const asked = guest === group ? demand : guest.demand;
    seatGuests(run, claim, { group: guest, demand: asked, count: guest === group ? count - 1 : count });
  }
  return true;
}

function growthInstead(run: Run, demand: Demand, { plan, priceUsdPerHour }: Opening): Growth | undefined {
  const requests = new Float64Array(demand.requests.length);
  for (const { group, count } of plan.pattern) takeFrom(requests, group.demand.requests, -count);
  return cheapestGrowth(run, { demand, requests, belowUsdPerHour: priceUsdPerHour });
}

/** Those of the plan that can join after all; the others wait for their turn. */
function seatGuests(
  run: Run,
  claim: OpenClaim,
  { group, demand, count }: { readonly group: BacklogGroup; readonly demand: Demand; readonly count: number },
): void {
  for (let left = count; left > 0; ) {
    const answer = tryJoin(claim, demand, run);
    if (answer === 'never' || answer === 'later') return;
    const fitting = Math.min(left, howManyOnClaim(group, demand, claim));
    putOnClaim(run, claim, { group, demand, set: answer, count: fitting });
    left -= fitting;
  }
}

/** Whatever else keeps a pod from a claim of its own keeps it from a larger one too. */
function mayNeedGrowth(run: Run, { rules }: Demand): boolean {
  return run.exhausted.size > 0 || rules.onHost.some((rule) => rule.kind === 'attract');
}

/** Where nothing else will do, as when pods must share a host: the first claim that can become large enough, though dearer. */
function growClaim({ run, news }: Placing, { group, demand, prospects }: Asking): boolean {
  if (prospects.isHopeless || (prospects.deferral === undefined && !mayNeedGrowth(run, demand))) return false;
  return growFirst({ run, news }, run.claims, { group, demand });
}

/** B34: the claim with the fewest pods first. */
function growFewest({ run, news }: Placing, asking: Asking): boolean {
  if (asking.prospects.isHopeless) return false;
  const fewest = run.claims.toSorted((a, b) => a.pods.length - b.pods.length);
  return growFirst({ run, news }, fewest, asking);
}

function growFirst(
  { run, news }: Pick<Placing, 'run' | 'news'>,
  claims: readonly OpenClaim[],
  { group, demand }: Pick<Asking, 'group' | 'demand'>,
): boolean {
  for (const claim of claims) {
    const growth = growthOf(run, claim, { demand, requests: demand.requests });
    if (growth === undefined) continue;
    carryOutGrowth(run, growth);
    putOnClaim(run, claim, { group, demand, set: growth.set, count: 1 });
    news.push(claim);
    return true;
  }
  return false;
}
