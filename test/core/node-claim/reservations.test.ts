import { describe, expect, test } from 'vitest';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { decideReserved, isReserved, type ReservedView } from '../../../lib/core/node-claim/reservations.ts';
import { aReservation } from '../../builders/launch-context.ts';
import { anInstance, launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { HOUR, MINUTE, NOW_MS } from '../../builders/times.ts';

const HELD = { capacityType: 'reserved', priceUsdPerHour: 0, reservation: { id: 'cr-1', kind: 'default' } } as const;
const NODE = aNode({ labels: { 'karpenter.sh/registered': 'true', 'karpenter.sh/capacity-type': 'reserved' } });
const BLOCK = aReservation({ type: 'capacity-block', availableInstances: 1 });

function reserved(over: Partial<NodeClaimRecord> = {}): NodeClaimRecord {
  return launchedClaim({ createdAtMs: NOW_MS - HOUR, ...over }, HELD);
}

describe('an instance that runs after the end of its reservation (C83)', () => {
  const view: ReservedView = { record: reserved(), instance: anInstance(), node: NODE, onDemandUsdPerHour: 0.112 };

  test('becomes on-demand, with the on-demand price, in its record and on its node', () => {
    const { record, actions } = decideReserved(view, NOW_MS);
    expect(record.launch).toMatchObject({
      instance: { capacityType: 'on-demand', priceUsdPerHour: 0.112 },
      reservedUntilMs: NOW_MS,
    });
    expect(JSON.stringify(record.launch)).not.toContain('cr-1');
    expect(actions).toMatchObject([
      {
        kind: 'register-node',
        patch: {
          labels: { 'karpenter.sh/capacity-type': 'on-demand', 'karpenter.k8s.aws/capacity-reservation-id': null },
        },
      },
    ]);
  });

  test('gets the label of its node again if that write was lost', () => {
    const { record } = decideReserved(view, NOW_MS);
    const again = decideReserved({ ...view, record }, NOW_MS + MINUTE);
    expect(again.record).toBe(record);
    expect(again.actions).toHaveLength(1);
    expect(isReserved(record, NODE)).toBe(true);
    expect(isReserved(record, aNode())).toBe(false);
  });

  test.each<[string, Partial<ReservedView>]>([
    ['is still in it', { instance: anInstance(HELD) }],
    ['was just launched', { record: reserved({ createdAtMs: NOW_MS - MINUTE / 2 }) }],
    ['is being deleted', { record: reserved({ deletion: { reason: 'empty', message: '', requestedAtMs: NOW_MS } }) }],
  ])('does not change if it %s', (_, over) => {
    const same = { ...view, ...over };
    expect(decideReserved(same, NOW_MS)).toEqual({ record: same.record, actions: [] });
  });
});

describe('a claim in a capacity block (C83)', () => {
  const inBlock = (reservation: ReservedView['reservation']) =>
    decideReserved({ record: reserved(), instance: anInstance(HELD), node: NODE, reservation }, NOW_MS).actions;

  test.each<[string, ReservedView['reservation'], number]>([
    ['is deleted 40 minutes before its end', { ...BLOCK, endsAtMs: NOW_MS + 40 * MINUTE }, 1],
    ['stays until then', { ...BLOCK, endsAtMs: NOW_MS + 41 * MINUTE }, 0],
    ['stays if the end is not known', BLOCK, 0],
    ['stays if its NodeClass does not find the block', undefined, 0],
    ['stays if the reservation is not a block', { ...BLOCK, type: 'default', endsAtMs: NOW_MS }, 0],
  ])('%s', (_, reservation, deletions) => {
    expect(inBlock(reservation)).toHaveLength(deletions);
  });

  test('has a message with the block and its end', () => {
    expect(inBlock({ ...BLOCK, endsAtMs: NOW_MS + 30 * MINUTE })).toEqual([
      {
        kind: 'delete-node-claim',
        nodeClaim: 'general-1',
        reason: 'expired',
        message: 'its capacity block cr-1 ends at 2026-01-31T08:30:00Z',
      },
    ]);
  });
});
