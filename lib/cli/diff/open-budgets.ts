import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';

/** The cluster as if the disruption budgets allowed all nodes at once. */
export function withOpenBudgets(snapshot: ClusterSnapshot): ClusterSnapshot {
  const budgets = [{ nodes: '100%' }];
  const nodePools = snapshot.nodePools.map((view) => {
    const { nodePool } = view;
    const disruption = { ...nodePool.spec.disruption, budgets };
    return { ...view, nodePool: { ...nodePool, spec: { ...nodePool.spec, disruption } } };
  });
  return { ...snapshot, nodePools };
}
