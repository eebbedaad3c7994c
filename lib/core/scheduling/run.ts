import type { Pod } from '../../apis/kubernetes.ts';
import { isActive } from '../cluster/pods.ts';
import type { Refusal } from '../model/refusal.ts';
import type { SchedulingOptions } from '../model/scheduling-options.ts';
import { type ClusterIndex, indexOnce, type SpaceIndex } from './cluster-index.ts';
import { type Aim, type Goal, goalOf } from './packing/goal.ts';
import { type ExistingHost, type HostRooms, hostRooms } from './placement/existing-host.ts';
import type { OpenClaim } from './placement/open-claim.ts';
import { type ReservationLedger, reservationLedger } from './placement/reservations.ts';
import type { Demand, Needs } from './pods/demand.ts';
import { type PodClass, type PodClasses, type PodGroup, podGroups } from './pods/pod-classes.ts';
import { takeFromLimits } from './pools/limits.ts';
import type { PoolLimits } from './pools/pool-limits.ts';
import type { RequirementSets } from './pools/requirement-sets.ts';
import type { ResourceSpace } from './pools/resource-space.ts';
import type { PoolTypeIndex } from './pools/type-index.ts';
import type { SchedulingProblem, Unplaced } from './schedule.ts';
import { type Allowance, allowances } from './topology/allowance.ts';
import { type CountedHost, type Counters, counters } from './topology/counters.ts';
import { identityOf, type MovedPods } from './topology/placed-pods.ts';
import { hostFacts } from './topology/rule-sources.ts';
import { type KeyRules, ownRules, rulesFor } from './topology/rules.ts';

/** Everything that one run works on. The claims, the hosts' room and the limits change as it places pods. */
export interface Run {
  /** The pods to place by class, in the order in which they are placed. */
  readonly groups: readonly PodGroup[];
  readonly classes: Pick<PodClasses, 'relaxed'>;
  readonly sets: RequirementSets;
  readonly space: ResourceSpace;
  readonly counters: Counters;
  readonly allowance: (rules: KeyRules) => Allowance;
  readonly options: SchedulingOptions;
  readonly goal: Goal;
  /** Nodes and claims in flight that take pods, in the order in which they are asked (B15). *Cost:* O(nodes). */
  allHosts(): readonly ExistingHost[];
  /** Those that keep the pods they were made for, until they are initialized. */
  readonly starting: readonly ExistingHost[];
  readonly rooms: HostRooms;
  /** B33: nodes of these names take no pods that are only moved. */
  readonly protectedNodes: ReadonlySet<string>;
  /** The pools that take part, the heaviest first (B12). */
  readonly pools: readonly PoolTypeIndex[];
  /** Pools that take no part, each with its reason. */
  readonly closed: Unplaced['refusals'];
  readonly limits: PoolLimits;
  /** Pools whose limits have kept a claim from being opened. */
  readonly exhausted: Set<PoolTypeIndex>;
  /** B59: what is left of capacity reservations. */
  readonly reservations: ReservationLedger;
  readonly claims: OpenClaim[];
  readonly placedOn: Map<ExistingHost, Pod[]>;
  /** How many pods have found a place. */
  readonly tally: { placed: number };
  /** The number that the next host gets. */
  nextHost(): number;
  /** What such pods ask for, or why they have no place anywhere (B9). */
  demandFor(podClass: PodClass): DemandAnswer;
  /** The hosts that may take such pods, in order, gone ones included. */
  hostsFor(needs: Needs): readonly ExistingHost[];
  /** Hosts that are gone in this run's question: they take no pods. */
  readonly gone: ReadonlySet<ExistingHost>;
}

export type DemandAnswer =
  | { readonly kind: 'demand'; readonly demand: Demand }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** One question to a cluster: which pods to place, and which nodes are gone. No run changes it, so all runs on it share it. */
export interface ProblemIndex {
  readonly cluster: ClusterIndex;
  readonly index: SpaceIndex;
  readonly groups: readonly PodGroup[];
  /** How many pods there are to place. */
  readonly size: number;
  /** They take no pods. */
  readonly gone: ReadonlySet<ExistingHost>;
  readonly moved: MovedPods;
  readonly limits: PoolLimits;
}

/** The question of which place the pods of the problem have. *Cost:* O(pods + nodes + instance types). */
export function problemIndexOf(problem: SchedulingProblem): ProblemIndex {
  const { cluster, groups } = indexOnce(problem);
  return grounds(cluster, { groups, size: problem.pods.length, gone: [], moved: new Map() });
}

/** Pods to place where the nodes of these names are gone. */
export interface Question {
  readonly pods: readonly Pod[];
  readonly gone: ReadonlySet<string>;
}

/** *Cost:* O(pods to place + gone nodes), and one pass over the list of nodes. */
export function problemIndexWithout(cluster: ClusterIndex, { pods, gone: names }: Question): ProblemIndex {
  const { problem, classes, hosts } = cluster;
  const gone = hosts.filter(({ stateNode }) => names.has(stateNode.name) && !stateNode.deleting);
  const going = new Set([...names, ...problem.stateNodes.filter(({ deleting }) => deleting).map(({ name }) => name)]);
  const groups = podGroups(classes, pods, (name) => going.has(name));
  const wanted = new Set(pods.map(identityOf));
  const moved = new Map<PodClass, CountedHost[]>();
  for (const host of gone) {
    for (const pod of host.stateNode.pods) {
      if (!isActive(pod) || !wanted.has(identityOf(pod))) continue;
      const podClass = classes.ofPlaced(pod);
      moved.set(podClass, [...(moved.get(podClass) ?? []), host]);
    }
  }
  return grounds(cluster, { groups, size: pods.length, gone, moved });
}

function grounds(
  cluster: ClusterIndex,
  asked: Pick<ProblemIndex, 'groups' | 'size' | 'moved'> & { readonly gone: readonly ExistingHost[] },
): ProblemIndex {
  const gone = new Set(asked.gone);
  return {
    ...asked,
    cluster,
    index: cluster.spaceFor(asked.groups),
    gone,
    limits: limitsWithout(cluster.limits, asked.gone),
  };
}

/** B23: a node that is gone makes room for the one that takes its place. */
function limitsWithout(limits: PoolLimits, gone: readonly ExistingHost[]): PoolLimits {
  const left = new Map(limits);
  for (const { nodeClaim } of gone.map(({ stateNode }) => stateNode)) {
    const of = nodeClaim === undefined ? undefined : left.get(nodeClaim.nodePool);
    if (nodeClaim !== undefined && of !== undefined)
      left.set(nodeClaim.nodePool, takeFromLimits(of, { ...nodeClaim.holds, nodes: 1 }, -1));
  }
  return left;
}

/** A run of its own: what it changes, no other run sees. *Cost:* a copy of the list of rooms; the rest as pods are placed. */
export function startRun(of: ProblemIndex, aim: Aim): Run {
  const { cluster, index, groups, gone } = of;
  const { problem } = cluster;
  const claims: OpenClaim[] = [];
  const counting = counters(cluster.placed.without(of.moved), hostFacts(cluster.hosts, claims));
  const limits = new Map(of.limits);
  let hostCount = cluster.hosts.length;
  return {
    groups,
    classes: cluster.classes,
    sets: cluster.sets,
    space: index.space,
    pools: index.pools,
    closed: cluster.closed,
    counters: counting,
    allowance: allowances(),
    options: problem.options ?? {},
    goal: goalOf(aim, new Map(limits)),
    allHosts: () => cluster.hosts.filter((host) => !host.stateNode.deleting && !gone.has(host)),
    starting: cluster.starting.filter((host) => !gone.has(host)),
    rooms: hostRooms(index.rooms),
    protectedNodes: problem.protectedNodes ?? new Set(),
    limits,
    exhausted: new Set(),
    reservations: reservationLedger(index.reservations, problem.options?.reservedFallback !== true),
    claims,
    placedOn: new Map(),
    tally: { placed: 0 },
    nextHost() {
      hostCount += 1;
      return hostCount - 1;
    },
    demandFor: demands(of, counting),
    hostsFor: (needs) => index.hostsFor(needs),
    gone,
  };
}

/** Works out each demand once. All counters that the pods of the run go by are made first, so that they count from now on. */
function demands({ groups, index }: ProblemIndex, counting: Counters): Run['demandFor'] {
  const own = new Map(
    groups.map(({ podClass }) => [podClass, ownRules(podClass, index.termsOf(podClass), counting)] as const),
  );
  const known = new Map<PodClass, DemandAnswer>();
  const make = (podClass: PodClass): DemandAnswer => {
    const answer = index.needsOf(podClass);
    if (answer.kind === 'refused') return answer;
    const rules = rulesFor(
      podClass,
      own.get(podClass) ?? ownRules(podClass, index.termsOf(podClass), counting),
      counting,
    );
    const countedBy = counting.countersOf(podClass);
    const hostCounters = [...countedBy, ...counting.ownedBy(podClass)].filter(({ counted }) => counted.key.isHostname);
    return { kind: 'demand', demand: { ...answer.needs, rules, hostCounters, countedBy: new Set(countedBy) } };
  };
  return (podClass) => {
    const demand = known.get(podClass) ?? make(podClass);
    known.set(podClass, demand);
    return demand;
  };
}
