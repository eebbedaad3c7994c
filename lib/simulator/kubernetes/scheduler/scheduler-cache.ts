import { type Node, type Pod, podKey } from '../../../apis/kubernetes.ts';
import { optional } from '../../../apis/optional.ts';
import { isActive, isTerminal, isTerminating } from '../../../core/cluster/pods.ts';
import { compareText } from '../../../core/compare-text.ts';
import type { KubernetesState } from '../state.ts';
import { countPods, nodeText, type PodCount, readNode, type SchedulerNode, schedulerNode } from './scheduler-node.ts';
import { type PodKind, podKinds, type QueuedPod } from './scheduler-pod-kind.ts';
import { type SchedulerTopology, schedulerTopology } from './scheduler-topology.ts';

/** The scheduler's cache of the cluster. A refresh reads only changed objects. */
export interface SchedulerCache {
  readonly topology: SchedulerTopology;
  /** Increases with every change that can affect a scheduling result. */
  readonly version: () => number;
  /** Increases when a node that did not fit a pod by its own properties may fit it now. */
  readonly loosened: () => number;
  /** Increases when a node is added or removed. */
  readonly membership: () => number;
  /** By name. */
  readonly nodes: () => readonly SchedulerNode[];
  /** *Shape:* undefined for a node that does not exist. */
  readonly named: (name: string | undefined) => SchedulerNode | undefined;
  /** Updates the cache. *Shape:* the pending pods, in no order. *Cost:* O(nodes) comparisons; work only for changed and pending pods. */
  readonly refresh: () => readonly QueuedPod[];
  /** Records that the scheduler has bound the pod. */
  readonly bound: (pod: Pod, on: { readonly kind: PodKind; readonly node: SchedulerNode }) => void;
  /** Whether a pod on a node has a lower priority. */
  readonly hasBelow: (priority: number) => boolean;
  /** The pods that are counted on the node, as last read. */
  readonly podsOn: (node: SchedulerNode) => readonly QueuedPod[];
  /** Adds a pod to the node, or removes it if `by` is -1, to try out what fits then. The caller undoes it. */
  readonly tryOut: (node: SchedulerNode, { pod, kind }: QueuedPod, by: 1 | -1) => void;
}

/** A pod as last read. `node` is the node on which it is counted. */
interface KnownPod extends QueuedPod {
  readonly node?: SchedulerNode;
}

export function schedulerCache(state: KubernetesState): SchedulerCache {
  const topology = schedulerTopology();
  const nodes = nodeCache(topology);
  const pods = new Map<string, KnownPod>();
  const kindOf = podKinds(state.namespaces);
  const changes = state.podIndex.follow();
  const { count, left, hasBelow, tryOut, version } = podCounts(topology);
  let freed = 0;
  const forget = (key: string, { pod, kind, node }: KnownPod): void => {
    pods.delete(key);
    if (node === undefined) return;
    if (!nodes.has(node)) return left(kind);
    const { active, terminating } = countOf(pod);
    count(node, kind, { active: -active, terminating: -terminating });
    freed += 1;
  };
  const read = (key: string, pod: Pod, known: KnownPod | undefined): KnownPod => {
    const kind = known !== undefined && isSameKind(known.pod, pod) ? known.kind : kindOf(pod);
    const node = isTerminal(pod) ? undefined : nodes.named(pod.spec.nodeName);
    const now = { pod, kind, ...optional({ node }) };
    const stays = known?.kind === kind && known.node === node && isTerminating(known.pod) === isTerminating(pod);
    if (!stays && known !== undefined) forget(key, known);
    if (!stays && node !== undefined) count(node, kind, countOf(pod));
    pods.set(key, now);
    return now;
  };
  return {
    topology,
    version: () => version() + nodes.version(),
    loosened: () => freed + nodes.version(),
    membership: nodes.membership,
    nodes: nodes.byName,
    named: nodes.named,
    refresh() {
      nodes.refresh(state.nodes);
      const { pods: changed, removed } = changes();
      for (const key of removed) {
        const known = pods.get(key);
        if (known !== undefined) forget(key, known);
      }
      for (const pod of changed) read(podKey(pod), pod, pods.get(podKey(pod)));
      return state.podIndex
        .unbound()
        .filter(isWaiting)
        .map((pod) => pods.get(podKey(pod)) ?? read(podKey(pod), pod, undefined));
    },
    bound(pod, { kind, node }) {
      count(node, kind, countOf(pod));
      pods.set(podKey(pod), { pod, kind, node });
    },
    hasBelow,
    podsOn: (node) =>
      state.podIndex
        .onNode(node.name)
        .flatMap((pod) => pods.get(podKey(pod)) ?? [])
        .filter((known) => known.node === node),
    tryOut,
  };
}

interface PodCounts extends Pick<SchedulerCache, 'hasBelow' | 'tryOut' | 'version'> {
  readonly count: (node: SchedulerNode, kind: PodKind, by: PodCount) => void;
  /** Records that a pod of the kind is gone together with its node. */
  readonly left: (kind: PodKind) => void;
}

function podCounts(topology: SchedulerTopology): PodCounts {
  let version = 0;
  const byPriority = new Map<number, number>();
  const tally = ({ priority }: PodKind, by: number): void =>
    void byPriority.set(priority, (byPriority.get(priority) ?? 0) + by);
  const place = (node: SchedulerNode, kind: PodKind, by: PodCount): void => {
    topology.add(node, kind, by);
    countPods(node, kind, by);
  };
  return {
    version: () => version,
    count(node, kind, by) {
      place(node, kind, by);
      tally(kind, by.active + by.terminating);
      version += 1;
    },
    left: (kind) => tally(kind, -1),
    hasBelow: (priority) => byPriority.entries().some(([of, count]) => of < priority && count > 0),
    tryOut(node, { pod, kind }, by) {
      const { active, terminating } = countOf(pod);
      place(node, kind, { active: by * active, terminating: by * terminating });
    },
  };
}

function isWaiting(pod: Pod): boolean {
  return pod.spec.nodeName === undefined && isActive(pod) && (pod.spec.schedulingGates ?? []).length === 0;
}

/** Whether two versions of a pod have the same kind. Writes keep unchanged parts as the same objects. */
function isSameKind(a: Pod, b: Pod): boolean {
  return a.spec === b.spec && a.metadata.labels === b.metadata.labels;
}

function countOf(pod: Pod): PodCount {
  return isTerminating(pod) ? { active: 0, terminating: 1 } : { active: 1, terminating: 0 };
}

interface NodeCache {
  readonly version: () => number;
  readonly membership: () => number;
  readonly byName: () => readonly SchedulerNode[];
  readonly named: (name: string | undefined) => SchedulerNode | undefined;
  readonly has: (node: SchedulerNode) => boolean;
  readonly refresh: (found: ReadonlyMap<string, Node>) => void;
}

function nodeCache(topology: SchedulerTopology): NodeCache {
  const known = new Map<string, { readonly object: Node; readonly text: string; readonly node: SchedulerNode }>();
  let sorted: readonly SchedulerNode[] = [];
  let [version, membership] = [0, 0];
  const read = (object: Node): void => {
    const before = known.get(object.metadata.name);
    const text = nodeText(object);
    const node = before?.node ?? schedulerNode(object);
    known.set(object.metadata.name, { object, text, node });
    if (before?.text === text) return;
    version += 1;
    if (before === undefined) membership += 1;
    else {
      topology.leave(node);
      readNode(node, object);
    }
    topology.enter(node);
  };
  return {
    version: () => version,
    membership: () => membership,
    byName: () => sorted,
    named: (name) => (name === undefined ? undefined : known.get(name)?.node),
    has: (node) => known.get(node.name)?.node === node,
    refresh(found) {
      const before = membership;
      for (const [name, { node }] of known) {
        if (found.has(name)) continue;
        topology.leave(node);
        known.delete(name);
        version += 1;
        membership += 1;
      }
      for (const [name, object] of found) if (known.get(name)?.object !== object) read(object);
      if (before === membership) return;
      sorted = [...known.values()].map(({ node }) => node).toSorted((a, b) => compareText(a.name, b.name));
    },
  };
}
