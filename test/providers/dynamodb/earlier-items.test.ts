import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { StaleLeaseError } from '../../../lib/ports/errors.ts';
import { LATEST_END_MS } from '../../../lib/ports/leases.ts';
import { DynamoDbCallBudget } from '../../../lib/providers/dynamodb/call-budget.ts';
import { budgetKey, leaseKey } from '../../../lib/providers/dynamodb/keys.ts';
import { DynamoDbLeases } from '../../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { Table } from '../../../lib/providers/dynamodb/table.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aLaunchDecision } from '../../contract/records.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';

/** Items with a lower number than a function has seen: their time to live ended, or the table was restored. */

const WORK = { cluster: 'demo', work: 'provisioning' } as const;

function aWorld() {
  const clock = { nowMs: NOW_MS, now: () => clock.nowMs };
  const options = inProcessTable({ clock });
  const ofBudget = { ...options, clock, region: 'us-east-1', limitsOf: () => ({ capacity: 100, perSecond: 0.001 }) };
  return {
    clock,
    table: new Table(options),
    store: new DynamoDbNodeClaimStore(options),
    leases: new DynamoDbLeases({ ...options, clock }),
    budget: () => new DynamoDbCallBudget(ofBudget),
  };
}

test('a budget that begins again keeps the calls that another function has taken from it', async () => {
  const { table, budget, clock } = aWorld();
  const key = budgetKey('us-east-1', 'CreateFleet');
  const early = budget();
  for (let call = 0; call < 3; call += 1) {
    await early.take('CreateFleet');
    clock.nowMs += MINUTE_MS;
  }
  await table.write({ kind: 'delete', key });
  await budget().take('CreateFleet');
  await early.take('CreateFleet');
  expect(await table.get(key)).toMatchObject({ bucketTokens: expect.closeTo(98, 0) });
});

test('a decision is refused if the lease in the table is an earlier one', async () => {
  const { table, store, leases } = aWorld();
  const held = await leases.acquire(await leases.see(WORK));
  if (held.kind !== 'held') throw new Error(`the lease is ${held.kind}`);
  const { lease } = held;
  await table.write({ kind: 'set', key: leaseKey(WORK), attributes: { leaseFence: lease.fence - 1 } });
  await expect(store.recordDecision(aLaunchDecision(), 0, lease)).rejects.toBeInstanceOf(StaleLeaseError);
});

test.each([
  ['at the latest moment is held', 0, 'busy'],
  ['later is free, because the clock of its holder is wrong', 1, 'held'],
])('a lease that ends %s', async (_, laterMs, kind) => {
  const { table, leases } = aWorld();
  const first = await leases.acquire(await leases.see(WORK));
  expect(first.kind).toBe('held');
  const heldUntilMs = NOW_MS + LATEST_END_MS + laterMs;
  await table.write({ kind: 'set', key: leaseKey(WORK), attributes: { heldUntilMs } });
  expect((await leases.acquire(await leases.see(WORK))).kind).toBe(kind);
});

test('a free lease is not acquired if it is taken until the latest moment meanwhile', async () => {
  const { table, leases } = aWorld();
  const first = await leases.acquire(await leases.see(WORK));
  if (first.kind !== 'held') throw new Error(`the lease is ${first.kind}`);
  await leases.release(first.lease, 'done');
  const seen = await leases.see(WORK);
  await table.write({ kind: 'set', key: leaseKey(WORK), attributes: { heldUntilMs: NOW_MS + LATEST_END_MS } });
  expect((await leases.acquire(seen)).kind).toBe('changed');
});

const decide = (atMs: number) => aLaunchDecision({ id: 'shadow-a', atMs, shadow: true });

test('a shadow decision is recorded again when its item has expired and is not deleted yet', async () => {
  const { store } = aWorld();
  const week = 7 * 24 * HOUR_MS;
  expect(await store.recordShadow(decide(NOW_MS), 'one')).toBe('new');
  expect(await store.recordShadow(decide(NOW_MS + week - MINUTE_MS), 'one')).toBe('known');
  expect(await store.recordShadow(decide(NOW_MS + week + MINUTE_MS), 'one')).toBe('new');
});
