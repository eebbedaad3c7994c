import type { Action, Blocked } from '../action.ts';
import { type DeletionReason, instanceOf, type NodeClaimRecord } from '../node-claim/record.ts';
import type { InterruptionMessage } from './message.ts';

export type InterruptAction = Action & { readonly kind: 'mark-unavailable' | 'delete-node-claim' };

export interface InterruptVerdict {
  readonly actions: readonly InterruptAction[];
  readonly blocked: readonly Blocked[];
}

/** What a message about one instance means for its claim. *Source:* C80, C81; a rebalance recommendation is only noted. */
export function interrupt(message: InterruptionMessage, record: NodeClaimRecord, nowMs: number): InterruptVerdict {
  const reason = deletionReason(message);
  const instance = instanceOf(record);
  if (reason === undefined || instance === undefined) {
    const subject = `nodeclaim ${record.name}`;
    return {
      actions: [],
      blocked: [
        {
          subject,
          nodePool: record.nodePool,
          reason: 'NoAction',
          message: `${message.kind} asks for nothing`,
          numbers: {},
        },
      ],
    };
  }
  const { instanceType, zone, capacityType } = instance;
  const mark: readonly InterruptAction[] =
    message.kind === 'spot-interruption'
      ? [
          {
            kind: 'mark-unavailable',
            offering: { instanceType, zone, capacityType, atMs: nowMs, reason: 'SpotInterruption' },
          },
        ]
      : [];
  // Also where it is being deleted already: the wakes that go with it may have been lost. Not once EC2 was told to end it.
  const why = `${message.kind} of instance ${instance.id}`;
  const remove: InterruptAction = { kind: 'delete-node-claim', nodeClaim: record.name, reason, message: why };
  const ending = record.deletion?.terminateRequestedAtMs !== undefined;
  return { actions: ending ? mark : [...mark, remove], blocked: [] };
}

function deletionReason(message: InterruptionMessage): DeletionReason | undefined {
  switch (message.kind) {
    case 'spot-interruption':
      return 'spot_interrupted';
    case 'scheduled-change':
    case 'reservation-interruption':
      return 'instance_terminated';
    case 'state-change':
      return ENDING.includes(message.state) ? 'instance_terminated' : undefined;
    case 'rebalance-recommendation':
      return undefined;
  }
}

const ENDING: readonly string[] = ['stopping', 'stopped', 'shutting-down', 'terminated'];
