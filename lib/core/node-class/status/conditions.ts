import type { ConditionFinding } from '../../model/conditions.ts';
import type { Reason } from '../../model/reasons.ts';

/** The conditions that Kerf sets on a NodeClass (A3.28). */
export const NODE_CLASS_CONDITIONS = [
  'SubnetsReady',
  'SecurityGroupsReady',
  'AMIsReady',
  'InstanceProfileReady',
  'CapacityReservationsReady',
  'PlacementGroupReady',
  'ValidationSucceeded',
  'Ready',
] as const;

export type NodeClassFinding = ConditionFinding<(typeof NODE_CLASS_CONDITIONS)[number], Reason>;
