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
import { holdLeast, leftFor, type PoolLimits, withinLimits } from '../pools/pool-limits.ts';
import type { RequirementSet, RequirementSets } from '../pools/requirement-sets.ts';
import { fitsIn, minus, plus, takeFrom, type Vector } from '../pools/resource-space.ts';
import { type Cell, type PoolTypeIndex, type Selection, withPortsFree } from '../pools/type-index.ts';
import { type Allowance } from '../topology/allowance.ts';
import type { CountedHost } from '../topology/counters.ts';
import { type HostAnswer, hostAnswer, type KeyRules, onlyRepel } from '../topology/rules.ts';
import type { TopologyKey } from '../topology/topology-key.ts';
import { type HeldReservations, idsAmong } from './reservations.ts';

/**
 * A NodeClaim that this run plans. It aims at one offering; pods that leave it possible join for nothing. What else it may
 * be launched as is worked out when it is closed.
 */
export interface OpenClaim extends CountedHost {
  readonly index: number;
  readonly types: PoolTypeIndex;
  readonly pods: Pod[];
  set: RequirementSet;
  requests: Vector;
  /** Of the offering that it aims at: type and cell, by number. */
  target: Target;
  /** What is left of the target's room. */
  room: Vector;
  ports: readonly HostPort[];
  /** What it takes of the pool's limits at the least. */
  held: Resources;
  /** B24: the pool's; under BestEffort no more than there was when it was opened. */
  readonly minValues: MinValues;
  /** B59: of a claim for reserved capacity, whose requirements ask for it from the start. */
  readonly reservations: HeldReservations | undefined;
}

export interface Target {
  readonly type: number;
  readonly cell: number;
}

export interface ClaimContext {
  readonly sets: RequirementSets;
  readonly allowance: (rules: KeyRules) => Allowance;
  readonly limits: PoolLimits;
}

export function openClaim(
  index: number,
  types: PoolTypeIndex,
  opened: Pick<OpenClaim, 'set' | 'target' | 'reservations' | 'minValues'>,
): OpenClaim {
  const { set, target, reservations, minValues } = opened;
  const room = types.rooms[target.type] ?? new Float64Array();
  const claim: OpenClaim = {
    index,
    types,
    pods: [],
    set,
    requests: new Float64Array(room.length),
    target,
    room: room.slice(),
    ports: [],
    held: {},
    minValues,
    reservations,
    domainsOf: (key) => key.openTo(claim.set),
  };
  return claim;
}

/** What the claim would ask for with the pod on it; or whether a later placement may change the answer. */
export type JoinAnswer = RequirementSet | Exclude<HostAnswer, 'yes'>;

/**
 * Whether the pod can join at no cost: the offering that the claim aims at stays possible. Changes nothing.
 * *Source:* B36, where Karpenter lets a pod turn the whole claim dearer.
 */
export function tryJoin(claim: OpenClaim, demand: Demand, context: ClaimContext): JoinAnswer {
  if (!fitsIn(demand.requests, claim.room)) return 'never';
  const { ports, pod } = demand.podClass;
  if (!claimTolerates(claim.types, pod.spec.tolerations)) return 'never';
  if (ports.length > 0 && !hasPorts(claim, ports)) return 'never';
  const onHost = hostAnswer(demand.rules.onHost, claim.index);
  if (onHost !== 'yes') return onHost;
  let answer: Exclude<JoinAnswer, RequirementSet> = 'never';
  for (const { set: asked } of demand.asks) {
    const set = context.sets.join(claim.set, asked);
    if (set === undefined || !offers(claim.types.selectionFor(set), claim.target)) continue;
    const pinned = pinToTarget(claim, { set, demand, context });
    if (pinned === undefined) answer = 'later';
    else if (isFlexible(claim, { set: pinned, demand, context })) return pinned;
  }
  return answer;
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

/** B24: the pod may not leave too few values to choose from; a launch into a reservation takes what is reserved. */
function isFlexible(
  claim: OpenClaim,
  { set, demand, context }: { readonly set: RequirementSet; readonly demand: Demand; readonly context: ClaimContext },
): boolean {
  if (claim.minValues.length === 0 || claim.reservations !== undefined) return true;
  const fitting = claim.types.fitting(plus(claim.requests, demand.requests));
  const free = withPortsFree(claim.types, fitting, [...claim.ports, ...demand.podClass.ports]);
  const within = withinLimits(claim.types, free, leftFor(context.limits, claim));
  const among = common(claim.types.selectionFor(set).types, within);
  return inflexibility(claim.minValues, claim.types, among) === undefined;
}

/** The set with each label pinned that the pod's topology needs, to what the target has; undefined where that is not allowed. */
export function pinToTarget(
  claim: Pick<OpenClaim, 'types' | 'target'>,
  joining: { readonly set: RequirementSet; readonly demand: Demand; readonly context: ClaimContext },
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
    const { order, allows } = joining.context.allowance(keyRules);
    if (possible.length === 1) {
      if (allows[only] === 1) continue;
      return undefined;
    }
    const reachable = targetDomains(claim.types, { ...claim.target, possible, key });
    const mine = order.filter((domain) => reachable.includes(domain));
    const wanted = pins ? mine.slice(0, 1) : possible.filter((domain) => allows[domain] === 1);
    if (mine.length === 0) return undefined;
    if (wanted.length === possible.length) continue;
    const next = pinTo(joining.context.sets, set, { key, domains: wanted });
    if (next === undefined) return undefined;
    set = next;
  }
  return set;
}

/** The set with the label narrowed to these domains. */
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

/** Of the possible domains those that the target's type and cell leave. */
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

/** Labels that the cell decides, not the type. */
const PLACED: ReadonlyMap<string, (cell: Cell) => string | undefined> = new Map([
  [ZONE, (cell: Cell) => cell.zone],
  [CAPACITY_TYPE, (cell: Cell) => cell.capacityType],
  [ZONE_ID, (cell: Cell) => cell.zoneId],
]);

/** Puts pods of the demand on the claim. */
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
  for (const pod of pods) claim.pods.push(pod);
  if (claim.types.template.minValues.length > 0) holdLeast(limits, claim, typesFor(claim, limits));
  const { types, reservations } = claim;
  // B59: what it can no longer use is there for others; what it asks for only grows.
  reservations?.keep(idsAmong(types.selectionFor(set).reserved, types.fitting(claim.requests)));
}

/** The types that hold its pods, within what the pool's limits leave for it. */
export function typesFor(claim: OpenClaim, limits: PoolLimits): Bitset {
  return withinLimits(claim.types, typesThatHold(claim), leftFor(limits, claim));
}

/** The types that hold its pods, whatever the limits. */
export function typesThatHold({ types, set, requests, ports }: OpenClaim): Bitset {
  return withPortsFree(types, common(types.selectionFor(set).types, types.fitting(requests)), ports);
}

/** Aims at another offering. */
export function aimAt(claim: OpenClaim, target: Target): void {
  claim.target = target;
  claim.room = minus(claim.types.rooms[target.type] ?? claim.room, claim.requests);
}

export function claimTolerates({ template }: PoolTypeIndex, tolerations: readonly Toleration[] | undefined): boolean {
  return untoleratedTaint(template.taints, tolerations) === undefined;
}
