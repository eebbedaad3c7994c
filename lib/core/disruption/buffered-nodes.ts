import { isBufferPod } from '../cluster/buffer-pod.ts';
import type { StateNode } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Subject } from '../model/subject.ts';
import { bufferSubject } from '../provisioning/buffer-pods.ts';
import { schedulePods } from '../provisioning/schedule-pods.ts';

/** The CapacityBuffer for which a node reserves capacity, by the name of the node. */
export type BufferedNodes = ReadonlyMap<string, Subject>;

/**
 * Returns the nodes that have room for pods of CapacityBuffers. These pods do not exist in the cluster, so each run places them
 * again together with the pending pods, as provisioning does, but only on existing nodes: without a NodePool no node is opened.
 * *Source:* A5.5, A5.6.
 */
export function bufferedNodes(snapshot: ClusterSnapshot, nodes: readonly StateNode[], nowMs: number): BufferedNodes {
  if ((snapshot.bufferPods ?? []).length === 0) return new Map();
  const { existing } = schedulePods({ ...snapshot, nodePools: [] }, nowMs, nodes);
  return new Map(
    existing.flatMap(({ stateNode, pods }) => {
      const [held] = pods.filter(isBufferPod);
      return held === undefined ? [] : [[stateNode.name, bufferSubject(held)] as const];
    }),
  );
}
