import { type Node, type Pod, podKey } from '../../apis/kubernetes.ts';

/** Follows the pods and nodes without reading them all. `before` is undefined for a new object, `after` for a removed one. */
export interface StateWatcher {
  readonly pod?: (before: Pod | undefined, after: Pod | undefined) => void;
  readonly node?: (before: Node | undefined, after: Node | undefined) => void;
}

/** The pods by node. Every list is in the order in which the pods were created. *Cost:* each list O(its pods). */
export interface PodIndex {
  /** *Cost:* O(1) if no pod has changed since the last call. */
  readonly all: () => readonly Pod[];
  readonly unbound: () => readonly Pod[];
  readonly onNode: (name: string) => readonly Pod[];
  /** Shows the pods of a node to the followers again, although nothing was written. */
  readonly touch: (node: string) => void;
  /** *Shape:* a function that returns what has changed since its last call; its first call returns everything. */
  readonly follow: () => () => PodChanges;
}

/** Pods that were written, or whose node was written, and the keys of pods that were removed. */
export interface PodChanges {
  readonly pods: readonly Pod[];
  readonly removed: readonly string[];
}

/** @param pods all pods by key, which the owner of `watchers` changes */
export function podIndex(pods: ReadonlyMap<string, Pod>, watchers: StateWatcher[]): PodIndex {
  const byNode = keysByNode();
  /** The place of each pod in the order of creation. */
  const places = new Map<string, number>();
  const changes: Set<string>[] = [];
  let created = 0;
  let all: readonly Pod[] | undefined;
  const note = (key: string): void => {
    for (const each of changes) each.add(key);
  };
  const touch = (node: string): void => {
    for (const key of byNode.on(node)) note(key);
  };
  const found = (keys: Iterable<string>): Pod[] => {
    const list: Pod[] = [];
    for (const key of keys) {
      const pod = pods.get(key);
      if (pod !== undefined) list.push(pod);
    }
    return list;
  };
  const placeOf = (key: string): number => places.get(key) ?? 0;
  const inOrder = (keys: ReadonlySet<string>): readonly Pod[] =>
    found([...keys].toSorted((a, b) => placeOf(a) - placeOf(b)));
  watchers.push({
    pod(before, after) {
      const pod = after ?? before;
      if (pod === undefined) return;
      const key = podKey(pod);
      all = undefined;
      byNode.move(key, before, after);
      if (before === undefined) places.set(key, (created += 1));
      if (after === undefined) places.delete(key);
      note(key);
    },
    node: (before, after) => touch((after ?? before)?.metadata.name ?? ''),
  });
  return {
    all: () => (all ??= [...pods.values()]),
    // Pods are without a node from their creation, so these are in order.
    unbound: () => found(byNode.on(NO_NODE)),
    onNode: (name) => inOrder(byNode.on(name)),
    touch,
    follow() {
      const seen = new Set(pods.keys());
      changes.push(seen);
      return () => {
        const removed = [...seen].filter((key) => !pods.has(key));
        const changed = inOrder(seen);
        seen.clear();
        return { pods: changed, removed };
      };
    },
  };
}

const NO_NODE = '';

/** The keys of pods, by the name of their node. */
interface KeysByNode {
  readonly on: (node: string) => ReadonlySet<string>;
  readonly move: (key: string, before: Pod | undefined, after: Pod | undefined) => void;
}

function keysByNode(): KeysByNode {
  const groups = new Map<string, Set<string>>();
  const nodeOf = (pod: Pod | undefined): string | undefined => pod && (pod.spec.nodeName ?? NO_NODE);
  return {
    on: (node) => groups.get(node) ?? NONE,
    move(key, before, after) {
      const [from, to] = [nodeOf(before), nodeOf(after)];
      if (from === to) return;
      if (from !== undefined) {
        const left = groups.get(from);
        left?.delete(key);
        if (left?.size === 0) groups.delete(from);
      }
      if (to !== undefined) groups.set(to, (groups.get(to) ?? new Set()).add(key));
    },
  };
}

const NONE: ReadonlySet<string> = new Set();
