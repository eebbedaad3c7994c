import type { SchedulerNode } from './scheduler-node.ts';
import type { PodKind, QueuedPod } from './scheduler-pod-kind.ts';

/** A pod as last read. `node` is the node on which it is counted. */
export interface KnownPod extends QueuedPod {
  readonly node?: SchedulerNode;
}

/** The pods on nodes, by priority and by node. */
export interface PlacedPods {
  readonly tally: (kind: PodKind, by: 1 | -1) => void;
  /** Called when pods may have changed. */
  readonly forget: () => void;
  /** Whether a pod on a node has a lower priority. */
  readonly hasBelow: (priority: number) => boolean;
  /** *Cost:* O(pods) for the first call after a change. */
  readonly on: (node: SchedulerNode) => readonly QueuedPod[];
}

export function placedPods(pods: ReadonlyMap<string, KnownPod>): PlacedPods {
  const priorities = new Map<number, number>();
  let byNode: ReadonlyMap<SchedulerNode, readonly QueuedPod[]> | undefined;
  const forget = (): void => {
    byNode = undefined;
  };
  return {
    tally({ priority }, by) {
      priorities.set(priority, (priorities.get(priority) ?? 0) + by);
      forget();
    },
    forget,
    hasBelow: (priority) => priorities.entries().some(([of, count]) => of < priority && count > 0),
    on(node) {
      byNode ??= groupByNode(pods);
      return byNode.get(node) ?? [];
    },
  };
}

function groupByNode(pods: ReadonlyMap<string, KnownPod>): ReadonlyMap<SchedulerNode, readonly QueuedPod[]> {
  const groups = new Map<SchedulerNode, QueuedPod[]>();
  for (const one of pods.values()) {
    if (one.node === undefined) continue;
    const group = groups.get(one.node) ?? [];
    groups.set(one.node, group);
    group.push(one);
  }
  return groups;
}
