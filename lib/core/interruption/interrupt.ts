import { formatTime } from '../../apis/formats/time.ts';
import type { Action, Blocked } from '../model/decision.ts';
import { type DeletionReason, type Instance, instanceOf, type NodeClaimRecord } from '../model/node-claim-record.ts';
import type { InstanceState, InterruptionMessage } from './message.ts';

export type InterruptAction = Action & { readonly kind: 'mark-unavailable' | 'delete-node-claim' };

export interface InterruptVerdict {
  readonly actions: readonly InterruptAction[];
  readonly blocked: readonly Blocked[];
}

/**
 * The actions for one claim after a message about its instance. Repeated or reordered messages give the same result: a mark
 * has the time of the message, and a claim is deleted once. *Source:* C80, C81; a rebalance recommendation is only recorded.
 */
export function interrupt(message: InterruptionMessage, record: NodeClaimRecord, nowMs: number): InterruptVerdict {
  const reason = deletionReason(message);
  const instance = instanceOf(record);
  if (reason === undefined || instance === undefined) return { actions: [], blocked: [noAction(message, record)] };
  const mark = markOf(message, instance, nowMs);
  // Repeated for a claim that is being deleted, because its wakes may have been lost; not after termination was requested.
  const why = whyRemoved(message, instance);
  const remove: InterruptAction = { kind: 'delete-node-claim', nodeClaim: record.name, reason, message: why };
  const ending = record.deletion?.terminateRequestedAtMs !== undefined;
  // The deletion comes first: the mark is a hint for later launches.
  return { actions: ending ? mark : [remove, ...mark], blocked: [] };
}

/** EC2 reports no cause of a change of state: a user, another program, the operating system or EC2 itself. */
function whyRemoved(message: InterruptionMessage, { id }: Instance): string {
  if (message.kind !== 'state-change') return `${message.kind} of instance ${id}`;
  return `EC2 reported at ${formatTime(message.atMs)} that instance ${id} is ${message.state}; no termination by Kerf was recorded before`;
}

/** C81. If the clock of EventBridge is ahead of ours, the mark still starts now. */
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

function noAction({ kind }: InterruptionMessage, { name, nodePool }: NodeClaimRecord): Blocked {
  const subject = { kind: 'NodeClaim', name } as const;
  return kind === 'rebalance-recommendation'
    ? {
        subject,
        nodePool,
        reason: 'RebalanceRecommended',
        message: 'EC2 may soon interrupt the spot instance',
        numbers: {},
      }
    : { subject, nodePool, reason: 'NoAction', message: `${kind} needs no action`, numbers: {} };
}
