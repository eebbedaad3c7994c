import { stateNodes } from '../../../core/cluster/state-node.ts';
import type { ClusterSnapshot } from '../../../core/model/cluster-snapshot.ts';
import { withDrift } from '../../../core/node-claim/drift/drift.ts';
import { driftTarget } from '../../../core/node-claim/drift/drift-target.ts';
import { nodePoolHash } from '../../../core/node-pool/node-pool-hash.ts';

/** The snapshot in which the claims of these NodePools have drifted or not, as lifecycle would find. *Source:* D34. */
export function withDriftFromPools(
  snapshot: ClusterSnapshot,
  changed: ReadonlySet<string>,
  nowMs: number,
): ClusterSnapshot {
  const targets = new Map(
    snapshot.nodePools
      .filter(({ nodePool }) => changed.has(nodePool.metadata.name))
      .map(({ nodePool }) => [nodePool.metadata.name, driftTarget(nodePool, nodePoolHash(nodePool), undefined)]),
  );
  if (targets.size === 0) return snapshot;
  const labels = new Map(stateNodes(snapshot).map((one) => [one.nodeClaim?.name, one.labels]));
  return {
    ...snapshot,
    nodeClaims: snapshot.nodeClaims.map((record) => {
      const view = { target: targets.get(record.nodePool), labels: labels.get(record.name) };
      return withDrift({ record, actions: [], blocked: [], due: [] }, view, nowMs).record;
    }),
  };
}
