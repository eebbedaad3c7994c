import type { Pod, Toleration } from '../../../apis/kubernetes.ts';
import { CAPACITY_TYPE, ZONE, ZONE_ID } from '../../../apis/labels.ts';
import { untoleratedTaint } from '../../../apis/taints.ts';
import { typeRequirements } from '../../instance-type/type-requirements.ts';
import { admits, inRequirement } from '../../requirements/requirement.ts';
import type { Resources } from '../../resources/resources.ts';
import type { Demand } from '../pods/demand.ts';
import { conflictingPort, type HostPort } from '../pods/host-ports.ts';
import { type Bitset, common, has } from '../pools/bitset.ts';
import { inflexibility, type MinValues } from '../pools/min-values.ts';
import { holdMinimum, leftFor, type PoolLimits, withinLimits } from '../pools/pool-limits.ts';
import type { LimitedJoins, RequirementSet, RequirementSets } from '../pools/requirement-sets.ts';
import { fitsIn, minus, plus, takeFrom, type Vector } from '../pools/resource-space.ts';
import { type Cell, type PoolTypeIndex, type Selection, withFreePorts } from '../pools/type-index.ts';
import { type Allowance } from '../topology/allowance.ts';
import type { CountedHost } from '../topology/counters.ts';
import {
  type HostAnswer,
  hostAnswer,
  isOverfull,
  type KeyRules,
  onlyRepel,
  type SpreadRule,
} from '../topology/rules.ts';
import type { TopologyKey } from '../topology/topology-key.ts';
import { type HeldReservations, idsAmong } from './reservations.ts';

/**
 * A NodeClaim that this run plans. It targets one offering; pods that can use this offering join at no cost. The other offerings
 * that it may be launched as are computed at the end of the run.
 */
export interface OpenClaim extends CountedHost {
  readonly index: number;
  readonly types: PoolTypeIndex;
  readonly pods: Pod[];
  /** The number of its pods by the demand with which they were placed. */
  readonly demands: Map<Demand, number>;
  set: RequirementSet;
  requests: Vector;
  /** The target offering: type and cell, by number. */
  target: Target;
  /** The free room of the target. */
  room: Vector;
  ports: readonly HostPort[];
  /** The spread over hosts of its pods. */
  readonly spread: Set<SpreadRule>;
  /** The minimum that it reserves of the pool's limits. */
  held: Resources;
  /** B24: the minValues of the pool. The BestEffort policy lowers them to the values that remained when it was opened. */
  readonly minValues: MinValues;
  /** B59: set for a claim for reserved capacity. Its requirements include the reservations from the start. */
  readonly reservations: HeldReservations | undefined;
  /** C35: set for a claim for doubted offerings: its requirements when it was opened, without those that limit it to these offerings. */
  readonly guarded: RequirementSet | undefined;
}

export interface Target {
  readonly type: number;
  readonly cell: number;
}

export interface ClaimContext {
  readonly sets: RequirementSets;
  readonly claimJoins: LimitedJoins;
  readonly allowance: (rules: KeyRules) => Allowance;
  readonly limits: PoolLimits;
}

export function openClaim(
  index: number,
  types: PoolTypeIndex,
  opened: Pick<OpenClaim, 'set' | 'target' | 'reservations' | 'minValues' | 'guarded'>,
): OpenClaim {
  const { set, target, reservations, minValues, guarded } = opened;
  const room = types.rooms[target.type] ?? new Float64Array();
  const claim: OpenClaim = {
    index,
    types,
    pods: [],
    demands: new Map(),
    set,
    requests: new Float64Array(room.length),
    target,
    room: room.slice(),
    ports: [],
    spread: new Set(),
    held: {},
    minValues,
    reservations,
    guarded,
    domainsOf: (key) => key.openTo(claim.set),
  };
  return claim;
}

/** The requirements of the claim with the pod on it; or whether a later placement may change the refusal. */
export type JoinAnswer = RequirementSet | Exclude<HostAnswer, 'yes'>;

/**
 * Whether the pod can join at no cost: the claim can still use its target offering. Has no side effects.
 * *Source:* B36. In Karpenter, a pod may make the whole claim more expensive.
 */
export function tryJoin(claim: OpenClaim, demand: Demand, context: ClaimContext): JoinAnswer {
  if (!fitsIn(demand.requests, claim.room)) return 'never';
  const { ports, pod } = demand.podClass;
  if (!claimTolerates(claim.types, pod.spec.tolerations)) return 'never';
  if (ports.length > 0 && !hasPorts(claim, ports)) return 'never';
  const onHost = hostAnswer(demand.rules.onHost, claim.index);
  if (onHost !== 'yes') return onHost;
  if (isCrowded(claim, demand)) return 'never';
  let answer: Exclude<JoinAnswer, RequirementSet> = 'never';
  for (const { set: asked } of demand.alternatives) {
    const set = joinedSet(claim, { demand, asked }, context);
    if (set === undefined || !offers(claim.types.selectionFor(set), claim.target)) continue;
    const pinned = pinToTarget(claim, { set, demand, context, evenly: true });
    if (pinned === undefined) answer = 'later';
    else if (isFlexible(claim, { set: pinned, demand, context })) return pinned;
  }
  return answer;
}

/** The requirements of the claim with those that the pod asks for: its own if a pod with the same demand is on it. */
export function joinedSet(
  { set, demands }: OpenClaim,
  { demand, asked }: { readonly demand: Demand; readonly asked: RequirementSet },
  { claimJoins }: Pick<ClaimContext, 'claimJoins'>,
): RequirementSet | undefined {
  return claimJoins.join(set, asked) ?? (demands.has(demand) ? set : undefined);
}

/**
 * B69: whether the spread over hosts of a pod of the claim would not allow the claim any more if the kube-scheduler bound this pod before that
 * one.
 */
export function isCrowded({ spread, index }: OpenClaim, demand: Demand): boolean {
  return isOverfull(spread, demand, (counter) => counter.counts[index]);
}

export function offers({ types, market }: Selection, { type, cell }: Target): boolean {
  return has(types, type) && market.cells[cell] === 1;
}

function hasPorts(claim: OpenClaim, ports: readonly HostPort[]): boolean {
  return (
    conflictingPort(ports, claim.ports) === undefined &&
    conflictingPort(ports, claim.types.portsOf(claim.target.type)) === undefined
  );
}

/** B24: enough values must remain with the pod. This does not apply to a launch into a reservation. */
function isFlexible(
  claim: OpenClaim,
  { set, demand, context }: { readonly set: RequirementSet; readonly demand: Demand; readonly context: ClaimContext },
): boolean {
  if (claim.minValues.length === 0 || claim.reservations !== undefined) return true;
  const fitting = claim.types.fitting(plus(claim.requests, demand.requests));
  const free = withFreePorts(claim.types, fitting, [...claim.ports, ...demand.podClass.ports]);
  const within = withinLimits(claim.types, free, leftFor(context.limits, claim));
  const among = common(claim.types.selectionFor(set).types, within);
  return inflexibility(claim.minValues, claim.types, among) === undefined;
}

/**
 * The set with each topology label of the pod pinned to a domain of the target; undefined if the rules do not allow this. `evenly`: only to one
 * that is to be used if possible (`evenDomains`).
 */
export function pinToTarget(
  claim: Pick<OpenClaim, 'types' | 'target'>,
  joining: {
    readonly set: RequirementSet;
    readonly demand: Demand;
    readonly context: ClaimContext;
    readonly evenly?: boolean;
  },
): RequirementSet | undefined {
  let { set } = joining;
  for (const keyRules of joining.demand.rules.byKey) {
    const { key, pins } = keyRules;
    const possible = key.openTo(set);
    const [only] = possible;
    if (only === undefined) {
      if (onlyRepel(keyRules)) continue;
      return undefined;
    }
    const allowance = joining.context.allowance(keyRules);
    const { order } = allowance;
    const allows = joining.evenly === true ? allowance.isEven : allowance.allows;
    if (possible.length === 1) {
      if (allows[only] === 1) continue;
      return undefined;
    }
    const reachable = targetDomains(claim.types, { ...claim.target, possible, key });
    const mine = order.filter((domain) => reachable.includes(domain) && allows[domain] === 1);
    const wanted = pins ? mine.slice(0, 1) : possible.filter((domain) => allows[domain] === 1);
    if (mine.length === 0) return undefined;
    if (wanted.length === possible.length) continue;
    const next = pinTo(joining.context.sets, set, { key, domains: wanted });
    if (next === undefined) return undefined;
    set = next;
  }
  return set;
}

/** Narrows the label of the set to these domains. */
export function pinTo(
  sets: RequirementSets,
  set: RequirementSet,
  { key, domains }: { readonly key: TopologyKey; readonly domains: readonly number[] },
): RequirementSet | undefined {
  const [first] = domains;
  if (first === undefined) return undefined;
  if (domains.length === 1) return sets.join(set, key.pinnedTo(first, sets));
  const values = domains.flatMap((domain) => key.values[domain] ?? []);
  return sets.join(set, sets.intern(new Map([[key.name, inRequirement(key.name, values)]])));
}

/** The possible domains that the target's type and cell allow. */
function targetDomains(
  { cells, types }: PoolTypeIndex,
  { type, cell, possible, key }: Target & { readonly possible: readonly number[]; readonly key: TopologyKey },
): readonly number[] {
  const place = cells[cell];
  const valueOf = place === undefined ? undefined : PLACED.get(key.name);
  if (place !== undefined && valueOf !== undefined) {
    const domain = key.domainOf.get(valueOf(place) ?? '');
    return domain !== undefined && possible.includes(domain) ? [domain] : [];
  }
  const known = types[type];
  const own = known === undefined ? undefined : typeRequirements(known).get(key.name);
  return possible.filter((domain) => {
    const value = key.values[domain];
    return own === undefined || (value !== undefined && admits(own, value));
  });
}

/** Labels that are defined by the cell, not by the type. */
const PLACED: ReadonlyMap<string, (cell: Cell) => string | undefined> = new Map([
  [ZONE, (cell: Cell) => cell.zone],
  [CAPACITY_TYPE, (cell: Cell) => cell.capacityType],
  [ZONE_ID, (cell: Cell) => cell.zoneId],
]);

/** Places pods of the demand on the claim. */
export function join(
  claim: OpenClaim,
  demand: Demand,
  joining: { readonly set: RequirementSet; readonly pods: readonly Pod[]; readonly limits: PoolLimits },
): void {
  const { set, pods, limits } = joining;
  claim.set = set;
  takeFrom(claim.requests, demand.requests, -pods.length);
  takeFrom(claim.room, demand.requests, pods.length);
  if (demand.podClass.ports.length > 0) claim.ports = [...claim.ports, ...demand.podClass.ports];
  for (const rule of demand.rules.keepingFree) claim.spread.add(rule);
  for (const pod of pods) claim.pods.push(pod);
  claim.demands.set(demand, (claim.demands.get(demand) ?? 0) + pods.length);
  if (claim.types.template.minValues.length > 0) holdMinimum(limits, claim, typesFor(claim, limits));
  const { types, reservations } = claim;
  // B59: releases reservations that the claim can no longer use. Its requests only grow.
  reservations?.keep(idsAmong(types.selectionFor(set).reserved, types.fitting(claim.requests)));
}

/** The types on which its pods fit, within the remaining limits of the pool. */
export function typesFor(claim: OpenClaim, limits: PoolLimits): Bitset {
  return withinLimits(claim.types, typesWithRoom(claim), leftFor(limits, claim));
}

/** The types on which its pods fit, regardless of limits. */
export function typesWithRoom({ types, set, requests, ports }: OpenClaim): Bitset {
  return withFreePorts(types, common(types.selectionFor(set).types, types.fitting(requests)), ports);
}

/** The price of its target offering. *Units:* USD per hour. */
export function priceOf({ types, set, target }: Pick<OpenClaim, 'types' | 'set' | 'target'>): number {
  return types.selectionFor(set).market.prices[target.type] ?? 0;
}

/** Changes the target offering. */
export function retarget(claim: OpenClaim, target: Target): void {
  claim.target = target;
  claim.room = minus(claim.types.rooms[target.type] ?? claim.room, claim.requests);
}

export function claimTolerates({ template }: PoolTypeIndex, tolerations: readonly Toleration[] | undefined): boolean {
  return untoleratedTaint(template.taints, tolerations) === undefined;
}
