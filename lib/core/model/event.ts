import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { Reason } from './reasons.ts';

/** The reasons of events besides those of refusals, with their meaning. `npm run generate` writes docs/signals.md from this table. */
export const EVENT_REASONS = {
  CapacityReservationInstanceInterrupted: 'EC2 takes back the capacity of the instance: its node is drained.',
  ConsolidationApproved: 'The command that removes the node is still valid and is carried out.',
  ConsolidationCandidate: 'Consolidation would remove the node: the command is validated first.',
  ConsolidationRejected:
    'The node stays: its command is no longer valid, its deletion was refused, or its NodePool does not approve the move (BalancedScore).',
  Disrupted: 'The pod is deleted to meet the termination deadline of its node.',
  DisruptionBlocked:
    'The node may not be disrupted now, or the budgets of the NodePool are used up: the message has the cause.',
  DisruptionLaunching: 'The NodeClaim is launched to replace nodes.',
  DisruptionTerminating: 'The node is being removed: the message has the cause.',
  DisruptionWaitingReadiness: 'The node is removed when the nodes that replace it are ready.',
  Evicted: 'The pod was evicted because its node is being removed.',
  FailedDraining: 'The pod is not evicted: the message has the cause, often a PodDisruptionBudget (DrainStuck).',
  FailedScheduling:
    'No NodePool has a node for the pod: the message has the reason of each NodePool, and what to change.',
  InstanceStopping: 'The instance is being stopped: its node is drained.',
  InstanceTerminating: 'The instance is being terminated outside of Kerf: its node is drained.',
  InstanceUnhealthy: 'EC2 or the node reports a failure: the node is replaced.',
  InsufficientCapacityError:
    'EC2 has no capacity for the NodeClaim: others are planned for its pods; allow more types or zones.',
  SpotInterrupted: 'EC2 takes back the spot instance within two minutes: its node is drained.',
  TerminatingOnInterruption: 'AWS has scheduled a change of the instance: its node is drained before it.',
  TerminationGracePeriodExpiring: 'All pods of the node are deleted by the time in the message.',
  Unconsolidatable: 'The node may be disrupted and is not consolidated: the message has the cause.',
} as const;

export type EventReason = keyof typeof EVENT_REASONS | Reason;

/** A Kubernetes Event, which `kubectl describe` shows on its object. */
export interface ClusterEvent {
  readonly regarding: {
    readonly kind: 'Pod' | 'Node' | 'NodeClaim' | 'NodePool' | 'EC2NodeClass';
    readonly name: string;
    readonly namespace?: string;
    /** Without it `kubectl describe` does not list the event. */
    readonly uid?: string;
  };
  /** The decision that it is about. @default it is about no decision */
  readonly decision?: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  readonly message: string;
}

/** F16: the time after which an event with the same object, reason and message is published again. */
export function dedupeMs({ reason }: Pick<ClusterEvent, 'reason'>): number {
  return QUIET_MINUTES[reason] === undefined ? 2 * MINUTE_MS : QUIET_MINUTES[reason] * MINUTE_MS;
}

const QUIET_MINUTES: Readonly<Partial<Record<EventReason, number>>> = {
  ConsolidationRejected: 15,
  FailedScheduling: 5,
  InvalidAnnotation: 60,
  Unconsolidatable: 15,
};
