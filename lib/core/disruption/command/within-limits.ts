import type { StateNode } from '../../cluster/state-node.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Blocked } from '../../model/decision.ts';
import type { Refusal } from '../../model/refusal.ts';
import { limitsOf } from '../../scheduling/cluster-index.ts';
import { launchOptions, typesOfOptions } from '../../scheduling/pools/launch-options.ts';
import { fitsLimits, largestCapacity, takeFromLimits, whyLimited } from '../../scheduling/pools/limits.ts';
import type { PoolLimits } from '../../scheduling/pools/pool-limits.ts';
import type { PlannedNodeClaim } from '../../scheduling/schedule.ts';
import { blockedNode } from '../budget-ledger.ts';
import type { Move } from '../method.ts';

/**
 * Promise 2: replacements are launched before their candidates are deleted, so the limits of the NodePools need room for both.
 * *Shape:* the moves that fit together, in their order; their replacements keep only types that fit. One refusal for each
 * candidate of the others.
 */
export function withinLimits(
  moves: readonly Move[],
  cluster: { readonly snapshot: ClusterSnapshot; readonly all: readonly StateNode[] },
): { readonly moves: readonly Move[]; readonly over: readonly Blocked[] } {
  if (moves.every(({ replacements }) => replacements.length === 0)) return { moves, over: [] };
  const { nodePools } = cluster.snapshot;
  let limits: PoolLimits = limitsOf({ nodePools, stateNodes: cluster.all });
  const fitting: Move[] = [];
  const over: Blocked[] = [];
  for (const move of moves) {
    const left = new Map(limits);
    const replacements: PlannedNodeClaim[] = [];
    let refused: Refusal | undefined;
    for (const claim of move.replacements) {
      const taken = takeRoom(claim, left);
      if ('reason' in taken) refused ??= taken;
      else replacements.push(taken);
    }
    if (refused === undefined) {
      fitting.push({ ...move, replacements });
      limits = left;
    } else {
      const why = { ...refused, message: `its replacement does not fit beside it: ${refused.message}` };
      over.push(...move.candidates.map(({ stateNode }) => blockedNode(stateNode, why)));
    }
  }
  return { moves: fitting, over };
}

/**
 * Takes the room of a claim from the limits: the largest of the types that EC2 may choose. *Shape:* the claim with the types that
 * fit, or why it does not fit.
 */
function takeRoom(claim: PlannedNodeClaim, limits: PoolLimits): PlannedNodeClaim | Refusal {
  const { nodePool } = claim.template;
  const { name } = nodePool.metadata;
  const left = limits.get(name);
  if (left === undefined) return claim;
  const fitting = claim.instanceTypes.filter((type) => fitsLimits(type, left));
  const isWhole = fitting.length === claim.instanceTypes.length;
  // With fewer types, fewer values may remain than minValues requires.
  const needsAll = nodePool.spec.template.spec.requirements.some(({ minValues }) => minValues !== undefined);
  if (!fitting.includes(claim.cheapest.type) || (needsAll && !isWhole))
    return whyLimited(nodePool, left, claim.instanceTypes);
  const sent = typesOfOptions(fitting, launchOptions(fitting, claim.requirements, claim));
  limits.set(name, takeFromLimits(left, { ...largestCapacity(sent), nodes: 1 }));
  return isWhole ? claim : { ...claim, instanceTypes: fitting };
}
