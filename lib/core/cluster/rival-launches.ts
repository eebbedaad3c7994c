import { timeIn } from '../../apis/formats/time.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { isProvisionable } from './pods.ts';

/**
 * The cluster as if the other autoscaler had launched nothing for the pods that wait: without the NodeClaims that are younger than the oldest
 * of these pods and whose nodes are not initialized, except those of NodePools with `spec.replicas`. With them, the pods would have a place
 * already whenever the other autoscaler is faster, and shadow would have no decision for them. *Cost:* O(pods + NodeClaims).
 */
export function withoutRivalLaunches(snapshot: ClusterSnapshot): ClusterSnapshot {
  const oldestMs = snapshot.pods
    .filter(isProvisionable)
    .reduce((oldest, { metadata }) => Math.min(oldest, timeIn(metadata.creationTimestamp) ?? oldest), Infinity);
  const fixed = new Set(
    snapshot.nodePools.flatMap(({ nodePool: { metadata, spec } }) =>
      spec.replicas === undefined ? [] : [metadata.name],
    ),
  );
  const rivals = snapshot.nodeClaims.filter(
    ({ createdAtMs, initializedAtMs, nodePool }) =>
      initializedAtMs === undefined && createdAtMs >= oldestMs && !fixed.has(nodePool),
  );
  if (rivals.length === 0) return snapshot;
  const names = new Set(rivals.map(({ name }) => name));
  const nodes = new Set(rivals.flatMap(({ nodeName }) => nodeName ?? []));
  return {
    ...snapshot,
    nodeClaims: snapshot.nodeClaims.filter(({ name }) => !names.has(name)),
    nodes: snapshot.nodes.filter(({ metadata }) => !nodes.has(metadata.name)),
  };
}
