import type { Pod } from '../../apis/kubernetes.ts';
import { isActive } from '../cluster/pods.ts';
import { onceFor } from '../kept-answers.ts';
import type { Refusal } from '../model/refusal.ts';
import type { SchedulingOptions } from '../model/scheduling-options.ts';
import { type ClusterIndex, indexOnce, type SpaceIndex } from './cluster-index.ts';
import { type Goal, goalOf, type OptimizationTarget } from './packing/goal.ts';
import { type ExistingHost, type HostRooms, hostRooms } from './placement/existing-host.ts';
import type { OpenClaim } from './placement/open-claim.ts';
import { type ReservationLedger, reservationLedger } from './placement/reservations.ts';
import { type Demand, demandOf, type Needs } from './pods/demand.ts';
import { type PodClass, type PodClasses, type PodGroup, podGroups } from './pods/pod-classes.ts';
import type { PoolLimits } from './pools/pool-limits.ts';
import { type LimitedJoins, limitedJoins, type RequirementSets } from './pools/requirement-sets.ts';
import type { ResourceSpace } from './pools/resource-space.ts';
import type { PoolTypeIndex } from './pools/type-index.ts';
import type { SchedulingProblem, Unplaced } from './schedule.ts';
import { type Allowance, type Allowances, allowances } from './topology/allowance.ts';
import { type CountedHost, type Counters, counters } from './topology/counters.ts';
import { identityOf, type MovedPods } from './topology/placed-pods.ts';
import { hostFacts } from './topology/rule-sources.ts';
import { type KeyRules, ownRules, rulesFor } from './topology/rules.ts';
import { withUsableClaims } from './volumes/claims-in-use.ts';

/** The state of one run. Claims, free room and limits change when the run places pods. */
export interface Run {
  /** The pods to place by class, in the order in which they are placed. */
  readonly groups: readonly PodGroup[];
  /** The pods that wait until other pods have ended. */
  readonly waiting: readonly Unplaced[];
  readonly classes: Pick<PodClasses, 'relaxed' | 'strict'>;
  readonly sets: RequirementSets;
  /** For pods that could fill a claim that is to be opened. */
  readonly fillerJoins: LimitedJoins;
  /** For pods that could join an open claim. */
  readonly claimJoins: LimitedJoins;
  readonly space: ResourceSpace;
  readonly counters: Counters;
  readonly allowance: (rules: KeyRules) => Allowance;
  readonly leaveOutEven: Allowances['leaveOutEven'];
  readonly options: SchedulingOptions;
  readonly goal: Goal;
  /** Nodes and claims in flight that accept pods, in the order in which they are tried (B15). *Cost:* O(nodes). */
  allHosts(): readonly ExistingHost[];
  /** Claims that are not initialized yet, and nodes that replace others with pods. They keep the pods for which they were created. */
  readonly starting: readonly ExistingHost[];
  /** The initialized node whose claim was created for the pod with this key. */
  readonly startedFor: (key: string) => ExistingHost | undefined;
  readonly rooms: HostRooms;
  /** The pools that can launch nodes for pods, in descending order of weight (B12). */
  readonly pools: readonly PoolTypeIndex[];
  /** Pools that cannot launch nodes for pods, each with its reason. */
  readonly closed: Unplaced['refusals'];
  readonly limits: PoolLimits;
  /** Pools in which limits prevented a new claim. */
  readonly exhausted: Set<PoolTypeIndex>;
  /** B59: the free instances of capacity reservations. */
  readonly reservations: ReservationLedger;
  readonly claims: OpenClaim[];
  readonly placedOn: Map<ExistingHost, Pod[]>;
  /** The number of placed pods. */
  readonly tally: { placed: number };
  /** Allocates the index of the next host. */
  nextHost(): number;
  /** The demand of these pods, or why no node can run them (B9). */
  demandFor(podClass: PodClass): DemandAnswer;
  /** The hosts that may accept these pods, in order, including removed hosts and without protected ones (B33). */
  hostsFor(needs: Needs): readonly ExistingHost[];
  /** Hosts that the question removes. They do not accept pods. */
  readonly removed: ReadonlySet<ExistingHost>;
}

export type DemandAnswer =
  | { readonly kind: 'demand'; readonly demand: Demand }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** One question: the pods to place, and the nodes that are removed. Runs do not change it, so several runs can share it. */
export interface ProblemIndex {
  readonly cluster: ClusterIndex;
  readonly index: SpaceIndex;
  readonly groups: readonly PodGroup[];
  /** The pods that wait until other pods have ended. */
  readonly waiting: readonly Unplaced[];
  /** The keys of the pods to place for which they wait. */
  readonly awaited: ReadonlySet<string>;
  /** The same question, in which no pod waits for one of these, because they could not be placed. */
  readonly withImpossible: (keys: ReadonlySet<string>) => ProblemIndex;
  /** The number of pods to place. */
  readonly size: number;
  /** Hosts that the question removes. They do not accept pods. */
  readonly removed: ReadonlySet<ExistingHost>;
  readonly moved: MovedPods;
  /** Promise 2: removed nodes hold their share, because they are deleted after their replacements are launched. */
  readonly limits: PoolLimits;
  /** B33: the names of nodes that do not accept pods of the removed nodes. */
  readonly protectedNodes: ReadonlySet<string>;
  /** Whether pods are packed as Karpenter does, even if more claims cost less. */
  readonly fewClaims: boolean;
  /** Whether new nodes may be launched. */
  readonly launches: boolean;
}

/** The question that places the pods of the problem and removes no node. *Cost:* O(pods + nodes + instance types). */
export function problemIndexOf(problem: SchedulingProblem): ProblemIndex {
  const { cluster, groups } = indexOnce(problem);
  const size = problem.pods.length;
  const nothing = { removed: [], moved: new Map(), protectedNodes: NO_NODES, fewClaims: false, launches: true };
  return problemIndex(cluster, { ...nothing, groups, size });
}

/** How a question differs from the case that its nodes are being deleted. */
export interface QuestionOptions {
  /**
   * B33: the names of nodes to which pods of the removed nodes must not move. They still accept pending pods and the pods of nodes
   * that are being deleted. @default none
   */
  readonly protectedNodes?: ReadonlySet<string>;
  /** Opens as few claims as Karpenter does, even if more claims cost less. @default false: the cheapest claims */
  readonly fewClaims?: boolean;
  /** Whether new nodes may be launched. Otherwise pods give up preferences for an existing node, as the kube-scheduler places them. @default true */
  readonly launches?: boolean;
}

/** The pods to place, and the names of the nodes that are removed. */
export interface Question extends QuestionOptions {
  readonly pods: readonly Pod[];
  readonly removed: ReadonlySet<string>;
}

/** *Cost:* O(pods to place + removed nodes), after one pass over the list of nodes for each index. */
export function problemIndexWithout(cluster: ClusterIndex, question: Question): ProblemIndex {
  const { pods, removed: names, protectedNodes = NO_NODES, fewClaims = false, launches = true } = question;
  const { classes } = cluster;
  const { staying, deleting } = hostsByName(cluster);
  const removed = [...names].flatMap((name) => staying.get(name) ?? []).toSorted((a, b) => a.index - b.index);
  // Without protected nodes, pods of removed nodes and of nodes that are being deleted can be in one class.
  const moves = (name: string): boolean => protectedNodes.size > 0 && !deleting.has(name);
  const groups = podGroups(classes, pods, (name) => !moves(name));
  const podsToPlace = new Set(pods.map(identityOf));
  const moved = new Map<PodClass, CountedHost[]>();
  for (const host of removed) {
    for (const pod of host.stateNode.pods) {
      if (!isActive(pod) || !podsToPlace.has(identityOf(pod))) continue;
      const podClass = classes.ofPlaced(pod);
      moved.set(podClass, [...(moved.get(podClass) ?? []), host]);
    }
  }
  return problemIndex(cluster, { groups, size: pods.length, removed, moved, protectedNodes, fewClaims, launches });
}

const hostsByName = onceFor(({ hosts }: ClusterIndex) => ({
  staying: new Map(hosts.filter(({ stateNode }) => !stateNode.deleting).map((host) => [host.stateNode.name, host])),
  deleting: new Set(hosts.filter(({ stateNode }) => stateNode.deleting).map(({ stateNode }) => stateNode.name)),
}));

const NO_NODES: ReadonlySet<string> = new Set();

function problemIndex(
  cluster: ClusterIndex,
  asked: Omit<ProblemIndex, 'cluster' | 'index' | 'limits' | 'removed' | 'waiting' | 'awaited' | 'withImpossible'> & {
    readonly removed: readonly ExistingHost[];
  },
): ProblemIndex {
  const removed = new Set(asked.removed);
  const of = (impossible: ReadonlySet<string>): ProblemIndex => {
    const usable = withUsableClaims(asked.groups, cluster, { removed, impossible });
    const index = cluster.spaceFor(usable.groups);
    return { ...asked, cluster, ...usable, index, removed, limits: cluster.limits, withImpossible: of };
  };
  return of(new Set());
}

/**
 * The number of different pairs of requirements that a run joins for claims that are to be opened, and as many for open ones. A thousand pods
 * of which each has requirements of its own would otherwise have a million.
 */
const MAX_JOINS = 10_000;

/** True if pods were planned as if they could not share a node, because the run had joined too many requirements. */
export function isJoiningExhausted({ fillerJoins, claimJoins }: Pick<Run, 'fillerJoins' | 'claimJoins'>): boolean {
  return fillerJoins.isExhausted() || claimJoins.isExhausted();
}

/** Starts an independent run. `inAnyOrder`: as in `rulesFor`. *Cost:* a copy of the list of rooms; other state is copied when pods are placed. */
export function startRun(of: ProblemIndex, target: OptimizationTarget, { inAnyOrder = true } = {}): Run {
  const { cluster, index, groups, waiting, removed } = of;
  const { problem } = cluster;
  const claims: OpenClaim[] = [];
  const counting = counters(cluster.placed.without(of.moved), hostFacts(cluster.hosts, claims));
  const limits = new Map(of.limits);
  let hostCount = cluster.hosts.length;
  return {
    groups,
    waiting,
    classes: cluster.classes,
    sets: cluster.sets,
    fillerJoins: limitedJoins(cluster.sets, MAX_JOINS),
    claimJoins: limitedJoins(cluster.sets, MAX_JOINS),
    space: index.space,
    pools: of.launches ? index.pools : [],
    closed: cluster.closed,
    counters: counting,
    ...allowances(),
    options: problem.options ?? {},
    goal: goalOf(target, new Map(limits)),
    allHosts: () => cluster.hosts.filter((host) => !host.stateNode.deleting && !removed.has(host)),
    starting: cluster.starting.filter((host) => !removed.has(host)),
    startedFor(key) {
      const host = cluster.startedFor(key);
      return host === undefined || removed.has(host) ? undefined : host;
    },
    rooms: hostRooms(index.rooms),
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
    demandFor: demands(of, counting, inAnyOrder),
    hostsFor: (needs) => index.hostsFor(needs, of.protectedNodes),
    removed,
  };
}

/** Computes each demand once. Creates all counters of the run's pods first, so that they count every placed pod. */
function demands({ groups, index }: ProblemIndex, counting: Counters, inAnyOrder: boolean): Run['demandFor'] {
  const own = new Map(
    groups.map(({ podClass }) => [podClass, ownRules(podClass, index.termsOf(podClass), counting)] as const),
  );
  const known = new Map<PodClass, DemandAnswer>();
  const make = (podClass: PodClass): DemandAnswer => {
    const answer = index.needsOf(podClass);
    if (answer.kind === 'refused') return answer;
    const ownOnes = own.get(podClass) ?? ownRules(podClass, index.termsOf(podClass), counting);
    const rules = rulesFor(podClass, ownOnes, { counters: counting, inAnyOrder });
    const countedBy = counting.countersOf(podClass);
    const hostCounters = [...countedBy, ...counting.ownedBy(podClass)].filter(({ counted }) => counted.key.isHostname);
    return { kind: 'demand', demand: demandOf(answer.needs, { rules, hostCounters, countedBy: new Set(countedBy) }) };
  };
  return (podClass) => {
    const demand = known.get(podClass) ?? make(podClass);
    known.set(podClass, demand);
    return demand;
  };
}
