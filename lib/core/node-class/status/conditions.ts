import type { ConditionFinding, ConditionOf } from '../../model/conditions.ts';
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
] as const satisfies readonly ConditionOf<'EC2NodeClass'>[];

export type NodeClassFinding = ConditionFinding<(typeof NODE_CLASS_CONDITIONS)[number], Reason>;
