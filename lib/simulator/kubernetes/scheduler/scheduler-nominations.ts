import type { SchedulerNode } from './scheduler-node.ts';
import type { PodKind, QueuedPod } from './scheduler-pod-kind.ts';

/**
 * The pods that wait for a node (`status.nominatedNodeName`): until the pods that were deleted for them have ended, or until a node
 * that an autoscaler has launched for them is ready.
 */
export interface Nominations {
  /** Increases when a nomination no longer reserves a part of a node. */
  readonly version: () => number;
  /** Replaces all nominations by those of the pending pods. */
  readonly read: (waiting: readonly QueuedPod[]) => void;
  readonly add: (nodeName: string, queued: QueuedPod) => void;
  readonly remove: (nodeName: string, queued: QueuedPod) => void;
  readonly on: (nodeName: string) => readonly QueuedPod[];
  /** Whether the pod fits beside the nominated pods of the same or a higher priority. Only their requests count. */
  readonly leaveRoom: (node: SchedulerNode, queued: QueuedPod) => boolean;
}

/** @param isNode whether the node exists. A nomination of a node that does not exist reserves nothing */
export function nominatedPods(isNode: (name: string) => boolean): Nominations {
  let byNode = new Map<string, QueuedPod[]>();
  let version = 0;
  const on = (nodeName: string): readonly QueuedPod[] => byNode.get(nodeName) ?? [];
  const add = (nodeName: string, queued: QueuedPod): void => {
    const others = byNode.get(nodeName);
    if (others === undefined) byNode.set(nodeName, [queued]);
    else others.push(queued);
  };
  return {
    version: () => version,
    read(waiting) {
      const before = byNode;
      byNode = new Map();
      for (const queued of waiting) if (nominatedTo(queued.pod) !== '') add(nominatedTo(queued.pod), queued);
      for (const [node, pods] of before) {
        const uids = new Set(on(node).map(({ pod }) => pod.metadata.uid));
        if (isNode(node) && pods.some(({ pod }) => !uids.has(pod.metadata.uid))) version += 1;
      }
    },
    add,
    remove(nodeName, { pod }) {
      const others = on(nodeName).filter((other) => other.pod.metadata.uid !== pod.metadata.uid);
      byNode.set(nodeName, others);
      if (isNode(nodeName)) version += 1;
    },
    on,
    leaveRoom(node, { pod, kind }) {
      if (byNode.size === 0) return true;
      const others = on(node.name).filter(
        (other) => other.pod.metadata.uid !== pod.metadata.uid && other.kind.priority >= kind.priority,
      );
      return (
        others.length === 0 ||
        fitsBeside(
          node,
          kind,
          others.map((other) => other.kind),
        )
      );
    },
  };
}

function nominatedTo({ status }: QueuedPod['pod']): string {
  return status?.nominatedNodeName ?? '';
}

function fitsBeside(node: SchedulerNode, kind: PodKind, others: readonly PodKind[]): boolean {
  return Object.entries(kind.requests).every(([name, amount]) => {
    const reserved = others.reduce((sum, other) => sum + (other.requests[name] ?? 0), 0);
    return amount === 0 || amount + reserved <= (node.free.get(name) ?? 0);
  });
}
