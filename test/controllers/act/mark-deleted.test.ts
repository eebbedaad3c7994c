import { expect, test } from 'vitest';
import { markNodeClaimDeleted } from '../../../lib/controllers/act/mark-deleted.ts';
import type { Action } from '../../../lib/core/model/decision.ts';
import type { Deletion } from '../../../lib/core/model/node-claim-record.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

type Request = Partial<Action & { readonly kind: 'delete-node-claim' }>;

/** The deletion of a claim after some requests. */
async function deletionAfter(...requests: readonly Request[]): Promise<Deletion | undefined> {
  const store = memoryNodeClaimStore();
  const { cluster, name: nodeClaim } = launchedClaim();
  await store.createNodeClaim(launchedClaim());
  const messages = { wake: async () => {} };
  for (const request of requests) {
    const action = { kind: 'delete-node-claim', nodeClaim, reason: 'expired', message: '', ...request } as const;
    await markNodeClaimDeleted({ store, messages, clock: { now: () => NOW_MS } }, cluster, action);
  }
  return (await store.readNodeClaim(cluster, nodeClaim))?.deletion;
}

const EARLY: Request = { reason: 'unhealthy', deadlineMs: NOW_MS + MINUTE };
const LATE: Request = { reason: 'spot_interrupted', deadlineMs: NOW_MS + 2 * MINUTE };

test('D18: of two deadlines the earlier one applies, in any order, and the first reason stays', async () => {
  expect(await deletionAfter(EARLY, LATE)).toMatchObject(EARLY);
  expect(await deletionAfter(LATE, EARLY)).toMatchObject({ reason: LATE.reason, deadlineMs: EARLY.deadlineMs });
});

test('D18: a deadline is added to a deletion without one, and is not removed by a later request without one', async () => {
  expect(await deletionAfter({}, EARLY)).toMatchObject({ reason: 'expired', deadlineMs: EARLY.deadlineMs });
  expect(await deletionAfter(EARLY, {})).toMatchObject(EARLY);
});

/** The functions that requests for the deletion of one claim wake, each at its time. */
async function wokenBy(
  ...requests: readonly (readonly [afterMs: number, reason: Deletion['reason']])[]
): Promise<readonly string[]> {
  const store = memoryNodeClaimStore();
  const { cluster, name: nodeClaim } = launchedClaim();
  await store.createNodeClaim(launchedClaim());
  const woken: string[] = [];
  const messages = { wake: async (target: string) => void woken.push(target) };
  for (const [afterMs, reason] of requests) {
    const action = { kind: 'delete-node-claim', nodeClaim, reason, message: '' } as const;
    await markNodeClaimDeleted({ store, messages, clock: { now: () => NOW_MS + afterMs } }, cluster, action);
  }
  return woken;
}

test('a repeated deletion sends its wakes again for some seconds only', async () => {
  const woken = await wokenBy([0, 'expired'], [2_000, 'expired'], [30_000, 'expired']);
  expect(woken).toEqual(['termination', 'provisioning', 'termination', 'provisioning']);
});

const BOTH = ['termination', 'provisioning'];

test('a warning and the end of an instance wake a drain that began long before', async () => {
  const woken = await wokenBy([0, 'expired'], [5 * MINUTE, 'spot_interrupted'], [7 * MINUTE, 'instance_terminated']);
  expect(woken).toEqual([...BOTH, ...BOTH, ...BOTH]);
});

test.each(['spot_interrupted', 'capacity_reservation_interrupted', 'scheduled_change'] as const)(
  'an event that is delivered again sends its wakes again: %s',
  async (reason) => {
    expect(await wokenBy([0, reason], [7_000, reason], [25_000, reason])).toEqual([...BOTH, ...BOTH, ...BOTH]);
  },
);

test('D18: a warning after the deletion is noted once, and the first reason stays', async () => {
  const warned = await deletionAfter({ reason: 'drifted' }, { reason: 'spot_interrupted' });
  expect(warned).toMatchObject({ reason: 'drifted', interruptedAtMs: NOW_MS });
  expect(await deletionAfter({ reason: 'spot_interrupted' }, { reason: 'spot_interrupted' })).not.toHaveProperty(
    'interruptedAtMs',
  );
});
