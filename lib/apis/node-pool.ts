import type * as generated from './generated/node-pool.ts';
import type { Immutable } from './immutable.ts';

export type NodePool = Immutable<generated.NodePool>;

/** A requirement of a NodePool or NodeClaim: a node selector requirement that may ask for flexibility (A1.5, A1.6). */
export type NodePoolRequirement = Immutable<generated.NodePoolRequirement>;

export type NodeClassReference = Immutable<generated.NodeClassReference>;
export type DisruptionBudget = Immutable<generated.DisruptionBudget>;

/** Why a node is disrupted. Budgets may speak of unhealthy nodes too, which are repaired instead. */
export type DisruptionReason = Exclude<NonNullable<DisruptionBudget['reasons']>[number], 'Unhealthy'>;
