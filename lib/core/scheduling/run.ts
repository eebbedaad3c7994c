import type { Pod } from '../../apis/kubernetes.ts';
import type { SchedulingOptions } from './options.ts';
import { type Aim, type Goal, goalOf } from './packing/goal.ts';
import { type ExistingHost, existingHost } from './placement/existing-host.ts';
import type { OpenClaim } from './placement/open-claim.ts';
import { type ReservationLedger, reservationLedger } from './placement/reservations.ts';
import { askedLabels } from './pods/asked-labels.ts';
import { type Demand, demandOf } from './pods/demand.ts';
import { type PodClass, type PodClasses, podClasses } from './pods/pod-classes.ts';
import { type Daemon, daemonsOf } from './pools/daemons.ts';
import { remainingLimits } from './pools/limits.ts';
import type { PoolLimits } from './pools/pool-limits.ts';
import { type RequirementSets, requirementSets } from './pools/requirement-sets.ts';
import { type ResourceSpace, resourceSpace } from './pools/resource-space.ts';
import { byDescendingWeight, nodeClaimTemplate, whyClosed } from './pools/template.ts';
import { type TypeIndex, typeIndex } from './pools/type-index.ts';
import type { Refusal } from './refusal.ts';
import type { SchedulingProblem, Unplaced } from './schedule.ts';
import { type Allowance, allowances } from './topology/allowance.ts';
import type { Counters } from './topology/counters.ts';
import { recordPlaced } from './topology/placed-pods.ts';
import { ruleSources } from './topology/rule-sources.ts';
import { type KeyRules, ownRules, type RuleSources, rulesFor } from './topology/rules.ts';
import { type StorageIndex, storageIndex } from './volumes/storage-index.ts';
import { type VolumeAnswer, volumeNeeds } from './volumes/volumes.ts';

/** Everything that one run works on. The claims, the hosts' room and the limits change as it places pods. */
export interface Run {
  readonly classes: PodClasses;
  readonly sets: RequirementSets;
  readonly space: ResourceSpace;
  readonly counters: Counters;
  readonly allowance: (rules: KeyRules) => Allowance;
  readonly options: SchedulingOptions;
  readonly goal: Goal;
  /** Nodes and claims in flight that take pods, in the order in which they are asked (B15). */
  readonly hosts: readonly ExistingHost[];
  /** B33: nodes of these names take no pods that are only moved. */
  readonly protectedNodes: ReadonlySet<string>;
  /** The pools that take part, the heaviest first (B12). */
  readonly pools: readonly TypeIndex[];
  /** Pools that take no part, each with its reason. */
  readonly closed: Unplaced['refusals'];
  readonly limits: PoolLimits;
  /** Pools whose limits have kept a claim from being opened. */
  readonly exhausted: Set<TypeIndex>;
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
}

export type DemandAnswer =
  | { readonly kind: 'demand'; readonly demand: Demand }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** What is known of the problem before any pod is placed: no run changes it, so all runs on the problem share it. */
export interface Grounds extends Pick<Run, 'classes' | 'sets' | 'space' | 'pools' | 'closed'> {
  readonly problem: SchedulingProblem;
  readonly storage: StorageIndex;
  readonly daemons: readonly Daemon[];
  /** What the volumes of such pods ask for; to give up preferences changes nothing of it. */
  readonly volumesOf: (podClass: PodClass) => VolumeAnswer;
}

/** *Cost:* O(pods + instance types), once a problem. */
export function groundsOf(problem: SchedulingProblem): Grounds {
  const classes = podClasses(problem);
  const placed = problem.stateNodes.flatMap(({ pods }) => pods);
  const sets = requirementSets();
  const space = resourceSpace(classes.groups.map(({ podClass }) => podClass.requests));
  const storage = storageIndex(problem.storage);
  const daemons = daemonsOf(problem.daemonSets, placed);
  const pools = poolsOf(problem, { daemons, sets, space });
  return { problem, classes, sets, space, storage, daemons, ...pools, volumesOf: rememberedVolumes(storage) };
}

export function startRun(grounds: Grounds, aim: Aim): Run {
  const { problem, classes, pools } = grounds;
  const hosts = hostsOf(grounds);
  const claims: OpenClaim[] = [];
  const sources = ruleSources(problem, { hosts, claims, pools, sets: grounds.sets });
  const demandFor = demands(grounds, sources);
  recordPlaced(problem, { hosts, classes, sources });
  const limits = limitsOf(problem);
  let hostCount = hosts.length;
  return {
    ...grounds,
    counters: sources.counters,
    allowance: allowances(),
    options: problem.options ?? {},
    goal: goalOf(aim, new Map(limits)),
    hosts: hosts.filter(({ stateNode }) => !stateNode.deleting),
    protectedNodes: problem.protectedNodes ?? new Set(),
    limits,
    exhausted: new Set(),
    reservations: reservationLedger(pools, {
      stateNodes: problem.stateNodes,
      isStrict: problem.options?.reservedFallback !== true,
    }),
    claims,
    placedOn: new Map(),
    tally: { placed: 0 },
    nextHost() {
      hostCount += 1;
      return hostCount - 1;
    },
    demandFor,
  };
}

function hostsOf({ problem, classes, sets, space, storage, daemons, volumesOf }: Grounds): readonly ExistingHost[] {
  const pods = [
    ...classes.groups.map(({ podClass }) => podClass.pod),
    ...problem.stateNodes.flatMap((one) => one.pods),
  ];
  const asked = new Set(askedLabels(pods));
  for (const { podClass } of classes.groups) {
    const answer = volumesOf(podClass);
    if (answer.kind === 'refused') continue;
    for (const alternative of answer.needs.alternatives) for (const key of alternative.keys()) asked.add(key);
  }
  const context = { daemons, sets, space, storage, askedLabels: asked };
  return problem.stateNodes.map((stateNode, index) => existingHost(stateNode, index, context));
}

function rememberedVolumes(storage: StorageIndex): Grounds['volumesOf'] {
  const known = new Map<Pod, VolumeAnswer>();
  return ({ original }) => {
    const answer = known.get(original) ?? volumeNeeds(original, storage);
    known.set(original, answer);
    return answer;
  };
}

function poolsOf(
  problem: SchedulingProblem,
  { sets, space, daemons }: Pick<Grounds, 'sets' | 'space' | 'daemons'>,
): Pick<Run, 'pools' | 'closed'> {
  const pools: TypeIndex[] = [];
  const closed: { readonly nodePool: string; readonly refusal: Refusal }[] = [];
  for (const view of byDescendingWeight(problem.nodePools)) {
    const refusal = whyClosed(view);
    if (refusal === undefined) pools.push(typeIndex(nodeClaimTemplate(view, daemons), sets, space));
    else closed.push({ nodePool: view.nodePool.metadata.name, refusal });
  }
  return { pools, closed };
}

/** B23: what is left of each pool's limits; a node that is going makes room for the one that takes its place. */
function limitsOf({ nodePools, stateNodes }: SchedulingProblem): PoolLimits {
  const held = Map.groupBy(
    stateNodes.flatMap(({ nodeClaim, deleting }) => (deleting ? [] : (nodeClaim ?? []))),
    ({ nodePool }) => nodePool,
  );
  return new Map(
    nodePools.map(({ nodePool }) => {
      const { name } = nodePool.metadata;
      return [
        name,
        remainingLimits(
          nodePool,
          (held.get(name) ?? []).map(({ holds }) => holds),
        ),
      ];
    }),
  );
}

/** Works out each demand once. All counters that the pods of the run go by are made first, so that they count from now on. */
function demands({ classes, sets, space, volumesOf }: Grounds, sources: RuleSources): Run['demandFor'] {
  const { counters } = sources;
  const own = new Map(classes.groups.map(({ podClass }) => [podClass, ownRules(podClass, sources)]));
  const known = new Map<PodClass, DemandAnswer>();
  const make = (podClass: PodClass): DemandAnswer => {
    const answer = volumesOf(podClass);
    if (answer.kind === 'refused') return answer;
    const rules = rulesFor(podClass, own.get(podClass) ?? ownRules(podClass, sources), sources);
    const countedBy = counters.countersOf(podClass);
    const hostCounters = [...countedBy, ...counters.ownedBy(podClass)].filter(({ counted }) => counted.key.isHostname);
    return {
      kind: 'demand',
      demand: demandOf(podClass, { sets, space, volumes: answer.needs, rules, hostCounters, countedBy }),
    };
  };
  return (podClass) => {
    const demand = known.get(podClass) ?? make(podClass);
    known.set(podClass, demand);
    return demand;
  };
}
