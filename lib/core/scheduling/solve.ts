import type { Pod } from '../../apis/kubernetes.ts';
import { podKey } from '../../apis/kubernetes.ts';
import type { Goal } from './packing/goal.ts';
import { type GuestBook, guestBook } from './packing/guests.ts';
import { marketWorth } from './packing/market-worth.ts';
import { type BacklogGroup, hostCapsOf, remainingOf } from './placement/backlog.ts';
import { type ExistingHost, hasRoom, isAdmitted } from './placement/existing-host.ts';
import { tolerates } from './placement/open-claim.ts';
import { type Placing, place, placeOnNodes, putOnHost } from './placement/place.ts';
import { plannedNodeClaims } from './placement/planned-node-claims.ts';
import { type Deferral, whyInNoPool } from './placement/why-deferred.ts';
import { whyNoNode } from './placement/why-no-node.ts';
import type { Demand } from './pods/demand.ts';
import type { PodClass, PodGroup } from './pods/pod-classes.ts';
import { common, isEmptyBitset } from './pools/bitset.ts';
import { LIMIT_EXCEEDED } from './pools/limits.ts';
import type { TypeIndex } from './pools/type-index.ts';
import { type Run, startRun } from './run.ts';
import type { Schedule, SchedulingProblem, Unplaced } from './schedule.ts';

/**
 * Finds a place for every pod: the claim in flight that was made for it, else an existing node, then a claim that this run
 * opened, then a new claim (B33–B35).
 * *Shape:* what goes where, and for every pod without a place one refusal a NodePool. The same pods in another order come
 * to the same. *Source:* B27–B36; where it differs from Karpenter, architecture.md says so.
 * *Cost:* O(classes × hosts + claims × candidate types × classes); a host that refused a class for good is not asked again.
 */
export function solve(problem: SchedulingProblem): Schedule {
  const cheapest = solveSparing(problem, 'money');
  if (!cheapest.unplaced.some(isLimited)) return cheapest;
  const smallest = solveSparing(problem, 'limits');
  return smallest.unplaced.length < cheapest.unplaced.length ? smallest : cheapest;
}

function isLimited({ refusals }: Unplaced): boolean {
  return refusals.some(({ refusal }) => refusal.reason === LIMIT_EXCEEDED);
}

function solveSparing(problem: SchedulingProblem, spares: Goal['spares']): Schedule {
  const run = startRun(problem, spares);
  const { backlog, refused } = backlogOf(run);
  keepPromises(run, backlog);
  const placing: Placing = { run, backlog, news: [], prospects: new Map(), guestBook: currentGuestBook(run, backlog) };
  // B33: nodes that are there come first, or a new claim would be sized for pods that need none.
  for (const group of backlog) while (remainingOf(group) > 0 && placeOnNodes(placing, group));
  // B29: another lap as long as one made progress: an affinity may be met by a pod that came later.
  while (lap(placing));
  return {
    newClaims: plannedNodeClaims(run),
    existing: [...run.placedOn].map(([{ stateNode }, pods]) => ({ stateNode, pods })),
    unplaced: [
      ...refused,
      ...backlog.filter((group) => remainingOf(group) > 0).flatMap((group) => unplacedOf(placing, group)),
    ],
  };
}

function backlogOf(run: Run): { readonly backlog: readonly BacklogGroup[]; readonly refused: readonly Unplaced[] } {
  const refused: Unplaced[] = [];
  const backlog: BacklogGroup[] = [];
  for (const { podClass, pods } of run.classes.groups) {
    const answer = run.demandFor(podClass);
    if (answer.kind === 'refused')
      refused.push(...pods.map((pod) => ({ pod, refusals: [{ refusal: answer.refusal }] })));
    else backlog.push(groupOf(run, answer.demand, pods));
  }
  const together = (group: BacklogGroup): number => (sharesHosts(group.demand) ? 0 : 1);
  return { backlog: backlog.toSorted((a, b) => together(a) - together(b)), refused };
}

/** Pods that must share a host with others have the fewest places to choose from: they come first. */
function sharesHosts({ rules, hostCounters }: Demand): boolean {
  return (
    rules.onHost.some((rule) => rule.kind === 'attract') ||
    hostCounters.some(({ counted }) => counted.kind === 'attract')
  );
}

function groupOf(run: Run, demand: Demand, pods: PodGroup['pods']): BacklogGroup {
  return { demand, pods, placed: 0, types: firstPool(run, demand), hostCaps: hostCapsOf(demand) };
}

function firstPool(run: Run, demand: Demand): TypeIndex | undefined {
  return run.pools.find((types) => {
    if (!tolerates(types, demand.podClass.pod.spec.tolerations)) return false;
    return demand.asks.some((ask) => {
      const set = run.sets.join(types.set, ask.set);
      return set !== undefined && !isEmptyBitset(common(types.selectionFor(set).types, types.fitting(demand.requests)));
    });
  });
}

/**
 * Until it is initialized, a claim keeps the pods that it was made for. They were placed together: judged again among other
 * pods, topology might want one of them elsewhere, and it would be launched for twice.
 */
function keepPromises(run: Run, backlog: readonly BacklogGroup[]): void {
  const promised = new Map<string, ExistingHost>();
  for (const host of run.hosts) {
    if (!host.stateNode.initialized) for (const key of host.stateNode.nodeClaim?.pods ?? []) promised.set(key, host);
  }
  if (promised.size === 0) return;
  for (const group of backlog) keepPromisesTo(run, group, promised);
}

function keepPromisesTo(run: Run, group: BacklogGroup, promised: ReadonlyMap<string, ExistingHost>): void {
  const waiting: Pod[] = [];
  const kept: Pod[] = [];
  for (const pod of group.pods) {
    const host = promised.get(podKey(pod));
    const demand =
      host === undefined
        ? undefined
        : variants(run, group.demand).find((one) => isAdmitted(host, one) && hasRoom(host, one));
    if (host === undefined || demand === undefined) waiting.push(pod);
    else {
      putOnHost(run, host, { group: { ...group, pods: [pod], placed: 0 }, demand, count: 1 });
      kept.push(pod);
    }
  }
  if (kept.length === 0) return;
  group.pods = [...kept, ...waiting];
  group.placed = kept.length;
}

/** The demand, and what is left of it as its preferences are given up one by one (B31). */
function variants(run: Run, demand: Demand): readonly Demand[] {
  const all = [demand];
  for (let next = relaxed(run, demand.podClass); next !== undefined; next = relaxed(run, next.podClass)) all.push(next);
  return all;
}

function relaxed(run: Run, podClass: PodClass): Demand | undefined {
  const next = run.classes.relaxed(podClass);
  const answer = next === undefined ? undefined : run.demandFor(next);
  return answer?.kind === 'demand' ? answer.demand : undefined;
}

/** One try for every group that has pods left. *Shape:* whether any of them found a place. */
function lap(placing: Placing): boolean {
  let progress = false;
  for (const group of placing.backlog) {
    while (remainingOf(group) > 0 && placeNext(placing, group)) progress = true;
    // Nobody asks for it any more, and thousands of such lists are tens of megabytes.
    if (remainingOf(group) === 0) placing.prospects.delete(group.demand);
  }
  return progress;
}

/** B30: the next pod of the group, giving up one preference after the other; the pod after it starts with all of them. */
function placeNext(placing: Placing, group: BacklogGroup): boolean {
  for (let demand: Demand | undefined = group.demand; demand !== undefined; ) {
    if (place(placing, group, demand)) return true;
    // B30: in the next run it may be had without giving anything up.
    if (placing.prospects.get(demand)?.deferral !== undefined) return false;
    demand = relaxed(placing.run, demand.podClass);
  }
  return false;
}

/** The yardstick is made anew when a quarter of the pods that it was made for is placed. */
function currentGuestBook(run: Run, backlog: readonly BacklogGroup[]): () => GuestBook {
  const all = backlog.reduce((sum, group) => sum + remainingOf(group), run.tally.placed);
  let made: { readonly book: GuestBook; readonly pods: number; readonly exhausted: number } | undefined;
  return () => {
    const pods = all - run.tally.placed;
    const exhausted = run.exhausted.size;
    if (made === undefined || pods < made.pods * REMEASURE || exhausted !== made.exhausted) {
      made = { book: guestBook(backlog, marketWorth(backlog, run), run), pods, exhausted };
    }
    return made.book;
  };
}

const REMEASURE = 0.75;

function unplacedOf(placing: Placing, group: BacklogGroup): readonly Unplaced[] {
  const { run } = placing;
  const tried = variants(run, group.demand);
  const deferralOf = (demand: Demand): Deferral | undefined => placing.prospects.get(demand)?.deferral;
  const last = tried.find((demand) => deferralOf(demand) !== undefined) ?? tried.at(-1) ?? group.demand;
  const refusals = [...run.closed, ...whyInNoPool(run, last, deferralOf(last))];
  const onNodes = whyNoNode(run, last);
  const why = onNodes === undefined ? { refusals } : { refusals, onNodes };
  return group.pods.slice(group.placed).map((pod) => ({ pod, ...why }));
}
