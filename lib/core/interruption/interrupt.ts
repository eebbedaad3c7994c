import type { Action, Blocked } from '../action.ts';
import { type DeletionReason, type Instance, instanceOf, type NodeClaimRecord } from '../node-claim/record.ts';
import type { InstanceState, InterruptionMessage } from './message.ts';

export type InterruptAction = Action & { readonly kind: 'mark-unavailable' | 'delete-node-claim' };

export interface InterruptVerdict {
  readonly actions: readonly InterruptAction[];
  readonly blocked: readonly Blocked[];
}

/**
 * What a message about one instance means for its claim. The same message again, and in any order with others, comes to the
 * same: marks are dated by the message, and a claim is deleted once. *Source:* C80, C81; a rebalance recommendation is only
 * noted.
 */
export function interrupt(message: InterruptionMessage, record: NodeClaimRecord, nowMs: number): InterruptVerdict {
  const reason = deletionReason(message);
  const instance = instanceOf(record);
  if (reason === undefined || instance === undefined) return { actions: [], blocked: [noted(message, record)] };
  const mark = markOf(message, instance, nowMs);
  // Also where it is being deleted already: the wakes that go with it may have been lost. Not once EC2 was told to end it.
  const why = `${message.kind} of instance ${instance.id}`;
  const remove: InterruptAction = { kind: 'delete-node-claim', nodeClaim: record.name, reason, message: why };
  const ending = record.deletion?.terminateRequestedAtMs !== undefined;
  return { actions: ending ? mark : [...mark, remove], blocked: [] };
}

/** C81. A clock that is behind EventBridge's must not make the mark last longer. */
function markOf(message: InterruptionMessage, instance: Instance, nowMs: number): readonly InterruptAction[] {
  const { instanceType, zone, reservation } = instance;
  const offering = { instanceType, zone, atMs: Math.min(message.atMs, nowMs) };
  if (message.kind === 'spot-interruption') {
    return [{ kind: 'mark-unavailable', offering: { ...offering, capacityType: 'spot', reason: 'SpotInterruption' } }];
  }
  if (message.kind !== 'reservation-interruption') return [];
  const reserved = { ...offering, capacityType: 'reserved', reason: 'ReservationInterruption' } as const;
  const id = reservation === undefined ? {} : { reservationId: reservation.id };
  return [{ kind: 'mark-unavailable', offering: { ...reserved, ...id } }];
}

/** F1, C80. */
function deletionReason(message: InterruptionMessage): DeletionReason | undefined {
  switch (message.kind) {
    case 'spot-interruption':
      return 'spot_interrupted';
    case 'scheduled-change':
      return 'scheduled_change';
    case 'reservation-interruption':
      return 'capacity_reservation_interrupted';
    case 'state-change':
      return OF_STATE[message.state];
    case 'rebalance-recommendation':
      return undefined;
  }
}

const OF_STATE: Readonly<Partial<Record<InstanceState, DeletionReason>>> = {
  stopping: 'instance_stopped',
  stopped: 'instance_stopped',
  'shutting-down': 'instance_terminated',
  terminated: 'instance_terminated',
};

function noted({ kind }: InterruptionMessage, { name, nodePool }: NodeClaimRecord): Blocked {
  const subject = { kind: 'NodeClaim', name } as const;
  return kind === 'rebalance-recommendation'
    ? { subject, nodePool, reason: 'RebalanceRecommended', message: 'EC2 may soon take its instance back', numbers: {} }
    : { subject, nodePool, reason: 'NoAction', message: `${kind} asks for nothing`, numbers: {} };
}
