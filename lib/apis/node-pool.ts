import type { Immutable } from './formats/immutable.ts';
import type * as generated from './generated/node-pool.ts';

export type NodePool = Immutable<generated.NodePool>;

/** A requirement of a NodePool or NodeClaim: a node selector requirement with an optional minValues (A1.5, A1.6). */
export type NodePoolRequirement = Immutable<generated.NodePoolRequirement>;

export type NodeClassReference = Immutable<generated.NodeClassReference>;
export type DisruptionBudget = Immutable<generated.DisruptionBudget>;

/** Why a node is disrupted. Budgets may also list Unhealthy, but unhealthy nodes are repaired, not disrupted. */
export type DisruptionReason = Exclude<NonNullable<DisruptionBudget['reasons']>[number], 'Unhealthy'>;

/** D31: whether the NodePool has a fixed number of nodes. */
export function isStatic({ spec }: Pick<NodePool, 'spec'>): boolean {
  return spec.replicas !== undefined;
}
