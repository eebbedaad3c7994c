import type { SchedulerNode } from './scheduler-node.ts';
import type { PodKind, QueuedPod } from './scheduler-pod-kind.ts';

/** The pods that wait on a node until the pods that were deleted for them have ended (`status.nominatedNodeName`). */
export interface Nominations {
  /** Increases with every change. */
  readonly version: () => number;
  /** Replaces all nominations by those of the pending pods. */
  readonly read: (waiting: readonly QueuedPod[]) => void;
  readonly add: (nodeName: string, queued: QueuedPod) => void;
  readonly remove: (nodeName: string, queued: QueuedPod) => void;
  readonly on: (nodeName: string) => readonly QueuedPod[];
  /** Whether the pod fits beside the nominated pods of the same or a higher priority. Only their requests count. */
  readonly leaveRoom: (node: SchedulerNode, queued: QueuedPod) => boolean;
}

export function nominatedPods(): Nominations {
  let byNode = new Map<string, QueuedPod[]>();
  let text = '[]';
  let version = 0;
  const on = (nodeName: string): readonly QueuedPod[] => byNode.get(nodeName) ?? [];
  const add = (nodeName: string, queued: QueuedPod): void => {
    byNode.set(nodeName, [...on(nodeName), queued]);
    version += 1;
  };
  return {
    version: () => version,
    read(waiting) {
      const nominated = waiting.filter(({ pod }) => nominatedTo(pod) !== '');
      const now = JSON.stringify(nominated.map(({ pod }) => [pod.metadata.uid, nominatedTo(pod)]));
      if (now === text) return;
      text = now;
      byNode = new Map();
      for (const queued of nominated) add(nominatedTo(queued.pod), queued);
    },
    add,
    remove(nodeName, { pod }) {
      byNode.set(
        nodeName,
        on(nodeName).filter((other) => other.pod.metadata.uid !== pod.metadata.uid),
      );
      version += 1;
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
