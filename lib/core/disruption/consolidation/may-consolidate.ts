import { parseNillableDuration } from '../../../apis/formats/duration.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import type { SeenPools } from '../method.ts';

/** Whether a node may be consolidated at some time: it is initialized and stays, and its NodePool allows consolidation. *Source:* E19. */
export function mayConsolidate({ nodePools, nodeClaims }: SeenPools): boolean {
  const pools = new Set(nodePools.filter(allowsConsolidation).map(({ metadata }) => metadata.name));
  return nodeClaims.some(
    ({ nodePool, initializedAtMs, deletion }) =>
      initializedAtMs !== undefined && deletion === undefined && pools.has(nodePool),
  );
}

/** E19: whether nodes with pods of the NodePool may be consolidated at some time. */
export function allowsConsolidation({ spec: { disruption, replicas } }: NodePool): boolean {
  const { consolidationPolicy, consolidateAfter } = disruption;
  return (
    consolidationPolicy !== 'WhenEmpty' &&
    replicas === undefined &&
    parseNillableDuration(consolidateAfter) !== undefined
  );
}
