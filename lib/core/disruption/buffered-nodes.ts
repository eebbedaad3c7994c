import type { StateNode } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Subject } from '../model/subject.ts';
import { bufferSubject, isBufferPod } from '../provisioning/buffer-pods.ts';
import { schedulePods } from '../provisioning/schedule-pods.ts';

/** By the name of a node the CapacityBuffer that it keeps room for. */
export type BufferedNodes = ReadonlyMap<string, Subject>;

/**
 * Which nodes hold pods of CapacityBuffers. These are in no cluster, so that they are placed anew at each look, among the
 * pods that wait, as provisioning places them, and on the nodes that there are: without a NodePool none is opened.
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
