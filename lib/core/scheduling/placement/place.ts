import type { FillerIndex } from '../packing/fillers.ts';
import type { Demand } from '../pods/demand.ts';
import { timesIn } from '../pools/resource-space.ts';
import type { Run } from '../run.ts';
import { hasRules, satisfiesRules } from '../topology/allowance.ts';
import { type HostAnswer, hostAnswer } from '../topology/rules.ts';
import type { BacklogGroup } from './backlog.ts';
import { remainingOf } from './backlog.ts';
import { type ExistingHost, hostHasRoom } from './existing-host.ts';
import { applyGrowth, cheapestGrowth, type Growth, growthOf } from './grow.ts';
import { join, type OpenClaim, tryJoin } from './open-claim.ts';
import { type Opening, openingFor, openPlanned, requestsOf } from './opening.ts';
import type { Deferral } from './why-deferred.ts';

/** The hosts and claims that may still accept pods of a demand: those without a permanent refusal. */
interface Candidates {
  readonly hosts: HostQueue;
  readonly claims: OpenClaim[];
  /** The number of entries of `changedClaims` that are already in `claims`. */
  claimsSeen: number;
  /** True if no pool can open a new claim, now or later in the run. */
  isClaimImpossible: boolean;
  /** B59: the reserved capacity for which the pod waits, if this is why no new claim was opened. */
  deferral: Deferral | undefined;
}

/** Hosts that were tried and may be tried again, then the rest of the list, which other runs share. */
interface HostQueue {
  readonly tried: ExistingHost[];
  readonly all: readonly ExistingHost[];
  next: number;
}

export interface Placing {
  readonly run: Run;
  readonly backlog: readonly BacklogGroup[];
  /** Claims in the order in which they were opened. A claim is added again when it grows. */
  readonly changedClaims: OpenClaim[];
  readonly candidates: Map<Demand, Candidates>;
  readonly fillerIndex: (primary: BacklogGroup) => FillerIndex;
}

/**
 * Places at least one pod of the group, without relaxing the demand: on an existing node, else on an open claim at no cost,
 * else on a new claim, else on an open claim that grows (B33–B35). *Shape:* false if no pod was placed.
 */
export function place(placing: Placing, group: BacklogGroup, demand: Demand): boolean {
  const asking = { group, demand, candidates: candidatesFor(placing, demand) };
  if (placing.run.goal.isFirstFit) {
    return placeOnHost(placing, asking) || growFewest(placing, asking) || placeOnNewClaim(placing, asking);
  }
  return (
    placeOnHost(placing, asking) ||
    placeOnClaim(placing, asking) ||
    placeOnNewClaim(placing, asking) ||
    growClaim(placing, asking)
  );
}

/** Places at least one pod of the group on an existing node. *Shape:* false if no pod was placed. */
export function placeOnNodes(placing: Placing, group: BacklogGroup, demand: Demand): boolean {
  return placeOnHost(placing, { group, demand, candidates: candidatesFor(placing, demand) });
}

function candidatesFor(placing: Placing, demand: Demand): Candidates {
  const known = placing.candidates.get(demand) ?? newCandidates(placing, demand);
  placing.candidates.set(demand, known);
  return known;
}

interface Asking {
  readonly group: BacklogGroup;
  readonly demand: Demand;
  readonly candidates: Candidates;
}

function newCandidates({ run }: Placing, demand: Demand): Candidates {
  const hosts = { tried: [], all: run.hostsFor(demand), next: 0 };
  return { hosts, claims: [], claimsSeen: 0, isClaimImpossible: false, deferral: undefined };
}

/** The first host of the list that accepts the pod, with its answer. Hosts with a permanent refusal are removed from the list. */
function firstAccepting<HostOrClaim, Answer>(
  list: HostOrClaim[],
  check: (one: HostOrClaim) => Answer | 'later' | 'never',
): { readonly host: HostOrClaim; readonly answer: Answer } | undefined {
  let kept = 0;
  let asked = 0;
  let found: { readonly host: HostOrClaim; readonly answer: Answer } | undefined;
  for (const host of list) {
    asked += 1;
    const answer = check(host);
    if (answer === 'never') continue;
    list[kept] = host;
    kept += 1;
    if (answer === 'later') continue;
    found = { host, answer };
    break;
  }
  if (kept < asked) list.splice(kept, asked - kept);
  return found;
}

/** B33: places pods on the first node, in order, that accepts them. */
function placeOnHost({ run }: Placing, { group, demand, candidates }: Asking): boolean {
  const found = firstHost(run, candidates.hosts, demand);
  if (found === undefined) return false;
  putOnHost(run, found, { group, demand, count: howMany(group, demand, run.rooms.of(found).room) });
  return true;
}

/** The first host that accepts the pod. *Cost:* hosts that were tried before, and new hosts up to the one that accepts it. */
function firstHost(run: Run, queue: HostQueue, demand: Demand): ExistingHost | undefined {
  const check = (host: ExistingHost): HostAnswer =>
    hostHasRoom(host, run.rooms.of(host), demand) ? topologyAnswer(run, host, demand) : 'never';
  const retried = firstAccepting(queue.tried, check);
  if (retried !== undefined) return retried.host;
  while (queue.next < queue.all.length) {
    const host = queue.all[queue.next];
    queue.next += 1;
    if (host === undefined || run.removed.has(host)) continue;
    const answer = check(host);
    if (answer !== 'never') queue.tried.push(host);
    if (answer === 'yes') return host;
  }
  return undefined;
}

/** Whether the topology rules of the pod allow the host at this point of the run. */
export function topologyAnswer(run: Run, host: ExistingHost, { rules }: Pick<Demand, 'rules'>): HostAnswer {
  const onHost = hostAnswer(rules.onHost, host.index);
  if (onHost !== 'yes') return onHost;
  const satisfiesKeys = rules.byKey.every((keyRules) =>
    satisfiesRules(keyRules, host.domainsOf(keyRules.key), run.allowance(keyRules)),
  );
  return satisfiesKeys ? 'yes' : 'later';
}

/** If no rule counts the pods, all pods that fit are placed at once. */
function howMany(group: BacklogGroup, demand: Demand, room: Demand['requests']): number {
  const isFree = !hasRules(demand.rules) && demand.podClass.ports.length === 0 && demand.attachments.size === 0;
  return isFree ? Math.min(remainingOf(group), timesIn(demand.requests, room)) : 1;
}

/** With minValues (B24), or if the spread of other pods may count these (B69), each pod is checked on its own. */
function howManyOnClaim(group: BacklogGroup, demand: Demand, { types, room, spread }: OpenClaim): number {
  if (types.template.minValues.length > 0 || (spread.size > 0 && demand.hostCounters.length > 0)) return 1;
  return howMany(group, demand, room);
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

/** Places pods on the first claim, in the order of opening, that the pod can join at no cost. */
function placeOnClaim({ run, changedClaims }: Placing, { group, demand, candidates }: Asking): boolean {
  for (; candidates.claimsSeen < changedClaims.length; candidates.claimsSeen += 1) {
    const claim = changedClaims[candidates.claimsSeen];
    if (claim !== undefined) candidates.claims.push(claim);
  }
  const found = firstAccepting(candidates.claims, (claim) => tryJoin(claim, demand, run));
  if (found === undefined) return false;
  const { host: claim, answer: set } = found;
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
 * B35: opens a claim of the pool with the highest weight that can have one, and places the pods for which the claim is sized.
 * If an open claim can grow for all of them at a lower cost, it grows instead.
 */
function placeOnNewClaim(placing: Placing, { group, demand, candidates }: Asking): boolean {
  const { run, changedClaims } = placing;
  if (candidates.isClaimImpossible) return false;
  const found = openingFor({ run, primary: group, demand, fillerIndex: placing.fillerIndex(group) });
  candidates.deferral = found.kind === 'deferred' ? found : undefined;
  if (found.kind !== 'found') {
    candidates.isClaimImpossible = found.kind === 'refused' && found.permanent;
    return false;
  }
  // B69: the claims that are open in other domains come first.
  if (!found.isEven && run.leaveOutEven(demand.rules.byKey)) return place(placing, group, demand);
  const growth = run.goal.isFirstFit ? undefined : growthInstead(run, demand, found);
  const claim = growth?.claim ?? openPlanned(run, found);
  if (growth !== undefined) applyGrowth(run, growth);
  changedClaims.push(claim);
  putOnClaim(run, claim, { group, demand, set: growth?.set ?? found.set, count: 1 });
  for (const { group: filler, count } of found.plan.pattern) {
    const asked = filler === group ? demand : filler.demand;
    placeFillers(run, claim, { group: filler, demand: asked, count: filler === group ? count - 1 : count });
  }
  return true;
}

function growthInstead(run: Run, demand: Demand, { plan, priceUsdPerHour }: Opening): Growth | undefined {
  return cheapestGrowth(run, { demand, requests: requestsOf(plan, demand), belowUsdPerHour: priceUsdPerHour });
}

/** Places the pods of the plan that can join. The others are tried again in their own turn. */
function placeFillers(
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

/** Only exhausted limits and host affinity can refuse a new claim and allow a larger one. */
function mayNeedGrowth(run: Run, { rules }: Demand): boolean {
  return run.exhausted.size > 0 || rules.onHost.some((rule) => rule.kind === 'attract');
}

/**
 * The last step, for example for pods that must share a host: grows the first claim that can become large enough. If limits allow no further
 * claim, this is also a claim where another pod may then not be bound (B69).
 */
function growClaim({ run, changedClaims }: Placing, { group, demand, candidates }: Asking): boolean {
  if (candidates.isClaimImpossible || (candidates.deferral === undefined && !mayNeedGrowth(run, demand))) return false;
  return growFirst({ run, changedClaims }, run.claims, { group, demand });
}

/** B34: tries the claims with the fewest pods first. */
function growFewest({ run, changedClaims }: Placing, asking: Asking): boolean {
  if (asking.candidates.isClaimImpossible) return false;
  const fewest = run.claims.toSorted((a, b) => a.pods.length - b.pods.length);
  return growFirst({ run, changedClaims }, fewest, asking);
}

function growFirst(
  { run, changedClaims }: Pick<Placing, 'run' | 'changedClaims'>,
  claims: readonly OpenClaim[],
  { group, demand }: Pick<Asking, 'group' | 'demand'>,
): boolean {
  for (const claim of claims) {
    const growth = growthOf(run, claim, { demand, requests: demand.requests });
    if (growth === undefined) continue;
    applyGrowth(run, growth);
    putOnClaim(run, claim, { group, demand, set: growth.set, count: 1 });
    changedClaims.push(claim);
    return true;
  }
  return false;
}
