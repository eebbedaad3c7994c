import { type Pod, podKey } from '../../apis/kubernetes.ts';
import type { StateNode } from '../cluster/state-node.ts';
import { once, onceFor } from '../kept-answers.ts';
import type { Refusal } from '../model/refusal.ts';
import { parseResources, type Resources, UNREADABLE_REQUEST } from '../resources/resources.ts';
import { memoize } from './memoize.ts';
import {
  type ExistingHost,
  existingHost,
  type HostContext,
  type HostRoom,
  hostHasRoom,
  initialRoom,
  isAdmitted,
  oldestFirst,
} from './placement/existing-host.ts';
import { freeReservations } from './placement/reservations.ts';
import { askedLabels } from './pods/asked-labels.ts';
import { type Needs, needsOf } from './pods/demand.ts';
import { type PodClass, type PodClasses, type PodGroup, podClasses, podGroups } from './pods/pod-classes.ts';
import { type Daemon, daemonsOf } from './pools/daemons.ts';
import { remainingLimits } from './pools/limits.ts';
import type { PoolLimits } from './pools/pool-limits.ts';
import { type RequirementSets, requirementSets } from './pools/requirement-sets.ts';
import { type ResourceSpace, resourceSpace } from './pools/resource-space.ts';
import { inOrderOfUse, type NodeClaimTemplate, nodeClaimTemplate, whyClosed } from './pools/template.ts';
import { type PoolTypeIndex, type TypeSpace, typeIndex } from './pools/type-index.ts';
import type { SchedulingProblem, Unplaced } from './schedule.ts';
import { eligibleDomains } from './topology/eligible-domains.ts';
import { identityOf, type PlacedIndex, placedIndex } from './topology/placed-pods.ts';
import { termSources } from './topology/rule-sources.ts';
import { type OwnTerms, ownTerms, type TermSources } from './topology/rules.ts';
import { type StorageIndex, storageIndex } from './volumes/storage-index.ts';
import { type VolumeLimits, volumeLimits } from './volumes/volume-limits.ts';
import { type VolumeAnswer, volumeNeeds } from './volumes/volumes.ts';

/**
 * The state of the cluster: nodes and their free room, pools, daemons, storage, placed pods, limits. It is built once; questions
 * and runs do not change it. Cached values (`caches`) are computed on first use and do not change.
 */
export interface ClusterIndex {
  /** `pods`: the pods that every question places. */
  readonly problem: SchedulingProblem;
  readonly classes: PodClasses;
  readonly sets: RequirementSets;
  /** All nodes and claims in flight, including those that are being deleted, in the order in which they are tried (B15). */
  readonly hosts: readonly ExistingHost[];
  /** Hosts that keep their position, although their nodes are gone. They have no pods and accept none. */
  readonly gone: ReadonlySet<ExistingHost>;
  /** Claims that are not initialized yet, and nodes that replace others with pods. They keep the pods for which they were created. */
  readonly starting: readonly ExistingHost[];
  /** The initialized node whose claim was created for the pod with this key. The kube-scheduler may not have bound the pod yet. */
  readonly startedFor: (key: string) => ExistingHost | undefined;
  readonly placed: PlacedIndex;
  readonly storage: StorageIndex;
  /** B23: the remaining limits of each pool. */
  readonly limits: PoolLimits;
  /** Pools that cannot launch nodes for pods, each with its reason. */
  readonly closed: Unplaced['refusals'];
  /** The part of the index that depends on which resources the pods of a question request. */
  spaceFor(groups: readonly PodGroup[]): SpaceIndex;
  /** The same for pods with these requests. */
  spaceOf(requests: Iterable<Resources>): SpaceIndex;
  /**
   * The index of the cluster after a change. All that the change does not affect is shared. *Cost:* O(nodes) copies of references, and
   * work for the nodes of the change only.
   */
  after(change: ClusterChange): ClusterIndex;
}

/** Nodes that are gone, and pods that have moved from them. No other pods change. */
export interface ClusterChange {
  readonly gone: ReadonlySet<string>;
  /** The nodes to which pods have moved, with these pods. */
  readonly changed: readonly StateNode[];
  /** New nodes, which come after all others. */
  readonly added: readonly StateNode[];
}

/** The state of the cluster, in the resources that the pods of a question request. Other resources are ignored. */
export interface SpaceIndex {
  readonly space: ResourceSpace;
  /** The pools that can launch nodes for pods, in descending order of weight (B12). */
  readonly pools: readonly PoolTypeIndex[];
  /** By host. */
  readonly rooms: readonly HostRoom[];
  /** B59: the number of free instances of each reservation. */
  readonly reservations: ReadonlyMap<string, number>;
  /** The needs of these pods, independent of other pods; or why no node can run them (B9). */
  needsOf(podClass: PodClass): NeedsAnswer;
  termsOf(podClass: PodClass): OwnTerms;
  /**
   * The hosts that admit these pods. If the index caches, only the hosts with enough room before a run starts. B33: pods of consolidated
   * nodes are not placed on protected nodes.
   */
  hostsFor(needs: Needs, protectedNodes: ReadonlySet<string>): readonly ExistingHost[];
}

export type NeedsAnswer =
  | { readonly kind: 'needs'; readonly needs: Needs }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export interface ClusterUse {
  /** All pods that a question may place. Node labels that none of these pods uses are ignored. */
  readonly movable: readonly Pod[];
  /** True if the index serves many questions, so that computed values are kept for the next question. */
  readonly caches: boolean;
  readonly storage: StorageIndex;
  readonly volumes: VolumeLimits;
}

/** An index for one question: to place the pods of the problem. */
export function indexOnce(problem: SchedulingProblem): {
  readonly cluster: ClusterIndex;
  readonly groups: readonly PodGroup[];
} {
  const storage = storageIndex(problem.storage, problem.stateNodes);
  const volumes = volumeLimits(problem, problem.pods, storage);
  const classes = podClasses(problem, { volumes, caches: false });
  const deleting = new Set(problem.stateNodes.filter((node) => node.deleting).map(({ name }) => name));
  const groups = podGroups(classes, problem.pods, (name) => deleting.has(name));
  const movable = groups.map(({ podClass }) => podClass.pod);
  return { cluster: clusterIndex(problem, classes, { movable, caches: false, storage, volumes }), groups };
}

/** An index for many questions. */
export function indexForMany(problem: SchedulingProblem): ClusterIndex {
  const movable = [...problem.pods, ...problem.stateNodes.flatMap(({ pods }) => pods)];
  const storage = storageIndex(problem.storage, problem.stateNodes);
  const volumes = volumeLimits(problem, movable, storage);
  return clusterIndex(problem, podClasses(problem, { volumes, caches: true }), {
    movable,
    caches: true,
    storage,
    volumes,
  });
}

/** *Cost:* O(nodes + pods + instance types). */
function clusterIndex(problem: SchedulingProblem, classes: PodClasses, use: ClusterUse): ClusterIndex {
  const { stateNodes } = problem;
  const { caches, storage, volumes } = use;
  const sets = requirementSets();
  const daemons = daemonsOf(problem.daemonSets, [
    ...stateNodes.flatMap(({ pods }) => pods),
    ...(problem.unboundDaemonPods ?? []),
  ]);
  const { templates, closed } = templatesOf(problem, daemons);
  for (const { requirements } of templates) sets.intern(requirements);
  const context = { daemons, sets, storage, volumes, askedLabels: labelsAskedFor(problem, use, storage) };
  const hosts = stateNodes.map((stateNode, index) => existingHost(stateNode, index, context));
  const sources = termSources(problem, templates);
  const isEmpty = stateNodes.every(({ pods }) => pods.length === 0);
  const moving = new Set(isEmpty ? [] : problem.pods.map(identityOf));
  const spaces = memoize((text: string) => lastingSpace({ names: text.split('\n'), volumes }, { sets, templates }));
  const placed = placedIndex(hosts, { classes, sources, moving, caches });
  return indexOf({ problem, hosts, placed, gone: NO_HOSTS }, { classes, context, closed, sources, spaces, caches });
}

/** What changes with the nodes. */
type Nodes = Pick<ClusterIndex, 'problem' | 'hosts' | 'placed' | 'gone'>;

const NO_HOSTS: ReadonlySet<ExistingHost> = new Set();

/** What stays the same when nodes go and pods move. */
interface Lasting {
  readonly classes: PodClasses;
  readonly context: HostContext;
  readonly closed: Unplaced['refusals'];
  readonly sources: TermSources;
  /** By the names of the resources, one a line. */
  readonly spaces: (names: string) => LastingSpace;
  readonly caches: boolean;
}

function indexOf(nodes: Nodes, lasting: Lasting): ClusterIndex {
  const { problem, hosts } = nodes;
  const { classes, context, closed, spaces } = lasting;
  const known = memoize((text: string) => spaceIndex(spaces(text), nodes, lasting));
  const spaceOf = (requests: Iterable<Resources>): SpaceIndex => known(resourceSpace(requests).names.join('\n'));
  return {
    ...nodes,
    classes,
    sets: context.sets,
    starting: startingHosts(hosts),
    startedFor: startedHosts(hosts),
    storage: context.storage,
    limits: limitsOf(problem),
    closed,
    spaceFor: (groups) => spaceOf(groups.map(({ podClass }) => podClass.requests)),
    spaceOf,
    after: (change) => indexOf(nodesAfter(nodes, change, lasting), lasting),
  };
}

function startingHosts(hosts: readonly ExistingHost[]): readonly ExistingHost[] {
  const leaving = new Set(hosts.flatMap(({ stateNode: { deleting, pods } }) => (deleting ? pods.map(podKey) : [])));
  return hosts.filter(({ stateNode }) => {
    const { initialized, nodeClaim } = stateNode;
    if (nodeClaim === undefined || !takesPods(stateNode)) return false;
    return !initialized || (leaving.size > 0 && nodeClaim.pods.some((key) => leaving.has(key)));
  });
}

/** *Cost:* O(pods of all claims) at the first question. */
function startedHosts(hosts: readonly ExistingHost[]): ClusterIndex['startedFor'] {
  const planned = once(
    () =>
      new Map(
        oldestFirst(hosts).flatMap((host) => {
          const { initialized, nodeClaim } = host.stateNode;
          if (!initialized || nodeClaim === undefined || !takesPods(host.stateNode)) return [];
          return nodeClaim.pods.map((key) => [key, host] as const);
        }),
      ),
  );
  return (key) => planned().get(key);
}

/** Hosts keep their positions, because counters and rooms refer to them. */
function nodesAfter({ problem, hosts, placed, gone }: Nodes, change: ClusterChange, { context }: Lasting): Nodes {
  const changed = new Map(change.changed.map((stateNode) => [stateNode.name, stateNode]));
  const left = new Set<ExistingHost>();
  const leaving: ExistingHost[] = [];
  const arriving: ExistingHost[] = [];
  const after = hosts.map((host) => {
    const { stateNode, index } = host;
    if (gone.has(host)) {
      left.add(host);
      return host;
    }
    if (change.gone.has(stateNode.name)) {
      const empty = { ...host, stateNode: { ...stateNode, pods: [], deleting: true } };
      left.add(empty);
      leaving.push(host);
      return empty;
    }
    const now = changed.get(stateNode.name);
    if (now === undefined) return host;
    leaving.push(host);
    const made = existingHost(now, index, context);
    arriving.push(made);
    return made;
  });
  for (const stateNode of change.added) {
    const made = existingHost(stateNode, after.length, context);
    arriving.push(made);
    after.push(made);
  }
  return {
    problem: { ...problem, stateNodes: after.map(({ stateNode }) => stateNode) },
    hosts: after,
    placed: placed.after({ hosts: after, leaving, arriving }),
    gone: left,
  };
}

function labelsAskedFor(
  { stateNodes }: SchedulingProblem,
  { movable }: ClusterUse,
  storage: StorageIndex,
): ReadonlySet<string> {
  const asked = new Set(askedLabels([...movable, ...stateNodes.flatMap(({ pods }) => pods)]));
  for (const pod of movable) {
    if (pod.spec.volumes === undefined) continue;
    const answer = volumeNeeds(pod, storage);
    if (answer.kind === 'refused') continue;
    for (const alternative of answer.needs.alternatives) for (const key of alternative.keys()) asked.add(key);
  }
  return asked;
}

function templatesOf(
  problem: SchedulingProblem,
  daemons: readonly Daemon[],
): { readonly templates: readonly NodeClaimTemplate[]; readonly closed: Unplaced['refusals'] } {
  const templates: NodeClaimTemplate[] = [];
  const closed: { readonly nodePool: string; readonly refusal: Refusal }[] = [];
  for (const view of inOrderOfUse(problem.nodePools, problem.failingPools)) {
    const refusal = whyClosed(view);
    if (refusal === undefined) templates.push(nodeClaimTemplate(view, daemons));
    else closed.push({ nodePool: view.nodePool.metadata.name, refusal });
  }
  return { templates, closed };
}

/** B23: what the limits of each NodePool leave. The share of a node that is being deleted is free for its replacement. */
export function limitsOf({ nodePools, stateNodes }: Pick<SchedulingProblem, 'nodePools' | 'stateNodes'>): PoolLimits {
  const held = Map.groupBy(
    stateNodes.filter(({ deleting, replaced }) => !deleting || replaced === true),
    ({ nodeClaim, nodePool }) => nodeClaim?.nodePool ?? nodePool,
  );
  return new Map(
    nodePools
      .filter(({ unusable }) => unusable === undefined)
      .map(({ nodePool }) => {
        const { name } = nodePool.metadata;
        return [name, remainingLimits(nodePool, (held.get(name) ?? []).map(holdsOf))];
      }),
  );
}

/** What the node counts as. A node of the pool without a record, as after the table was restored, counts as its reported capacity. */
function holdsOf({ nodeClaim, node }: StateNode): Resources {
  return nodeClaim?.holds ?? parseResources(node?.status?.capacity, UNREADABLE_REQUEST);
}

/** The part of a SpaceIndex that stays the same when nodes go and pods move. */
interface LastingSpace {
  readonly space: ResourceSpace;
  readonly pools: readonly PoolTypeIndex[];
  readonly roomOf: (host: ExistingHost) => HostRoom;
}

function lastingSpace(
  space: TypeSpace,
  { sets, templates }: { readonly sets: RequirementSets; readonly templates: readonly NodeClaimTemplate[] },
): LastingSpace {
  return {
    space,
    pools: templates.map((template) => typeIndex(template, sets, space)),
    roomOf: onceFor((host: ExistingHost) => initialRoom(host, space)),
  };
}

function spaceIndex(
  { space, pools, roomOf }: LastingSpace,
  { hosts, gone }: Nodes,
  { context: { sets, storage }, sources: ofTerms, caches }: Lasting,
): SpaceIndex {
  const rooms = hosts.map(roomOf);
  const present = gone.size === 0 ? hosts : hosts.filter((host) => !gone.has(host));
  const sources = { ...ofTerms, eligibleDomains: eligibleDomains(present, pools, sets) };
  const volumesOf = memoize((original: Pod): VolumeAnswer => volumeNeeds(original, storage));
  const takers = hosts.filter(({ stateNode }) => takesPods(stateNode));
  const hostsFor = (needs: Needs): readonly ExistingHost[] => takers.filter(admitsByKind(needs));
  const roomyFor = ({ podClass }: Needs): readonly ExistingHost[] => roomyForClass(podClass);
  const needsFor = memoize((podClass: PodClass): NeedsAnswer => {
    const answer = volumesOf(podClass.original);
    return answer.kind === 'refused'
      ? answer
      : { kind: 'needs', needs: needsOf(podClass, { sets, space, volumes: answer.needs }) };
  });
  const roomyForClass = memoize((podClass: PodClass): readonly ExistingHost[] => {
    const answer = needsFor(podClass);
    if (answer.kind === 'refused') return [];
    const { needs } = answer;
    return hostsFor(needs).filter((host) => {
      const left = rooms[host.index];
      return left !== undefined && hostHasRoom(host, left, needs);
    });
  });
  // A search asks many questions with the same protected nodes.
  const unprotected = onceFor((protectedNodes: ReadonlySet<string>) =>
    memoize((podClass: PodClass) =>
      roomyForClass(podClass).filter(({ stateNode }) => !protectedNodes.has(stateNode.name)),
    ),
  );
  return {
    space,
    pools,
    rooms,
    reservations: freeReservations(
      pools,
      hosts.map(({ stateNode }) => stateNode),
    ),
    needsOf: needsFor,
    termsOf: memoize((podClass: PodClass) => ownTerms(podClass, sources)),
    hostsFor(needs, protectedNodes) {
      if (!needs.podClass.moving || protectedNodes.size === 0) return caches ? roomyFor(needs) : hostsFor(needs);
      return unprotected(protectedNodes)(needs.podClass);
    },
  };
}

function takesPods({ deleting }: StateNode): boolean {
  return !deleting;
}

/** Evaluates each kind of node once. */
function admitsByKind(needs: Needs): (host: ExistingHost) => boolean {
  const byKind = new Map<string, boolean>();
  return (host) => {
    const known = byKind.get(host.kind);
    if (known !== undefined) return known;
    const answer = isAdmitted(host, needs);
    byKind.set(host.kind, answer);
    return answer;
  };
}
