import { afterEach, expect, test, vi } from 'vitest';
import { keptLeases } from '../../lib/controllers/run/kept-leases.ts';
import { afterSystemTime } from '../../lib/operator/lambda/system-timer.ts';
import { LEASE_MS, type Lease, type Leases } from '../../lib/ports/leases.ts';
import { memoryLeases } from '../../lib/simulator/memory-leases.ts';

const NAME = { cluster: 'demo', work: 'provisioning' } as const;

afterEach(() => void vi.useRealTimers());

function twoFunctions() {
  vi.useFakeTimers();
  const shared = memoryLeases({ now: () => Date.now() });
  return { ours: keptLeases(shared, { after: afterSystemTime }), others: shared };
}

async function hold(leases: Leases): Promise<Lease> {
  const acquired = await leases.acquire(await leases.see(NAME));
  if (acquired.kind !== 'held') throw new Error(acquired.kind);
  return acquired.lease;
}

const isHeld = async (leases: Leases): Promise<boolean> =>
  (await leases.acquire(await leases.see(NAME))).kind === 'busy';

test('a lease is renewed for as long as it is held, and for a minute at most', async () => {
  const { ours, others } = twoFunctions();
  await hold(ours);
  await vi.advanceTimersByTimeAsync(4 * LEASE_MS);
  expect(await isHeld(others)).toBe(true);
  await vi.advanceTimersByTimeAsync(2 * LEASE_MS);
  expect(await isHeld(others)).toBe(false);
});

test('an abandoned run that ends late does not release the lease of the next run', async () => {
  const { ours, others } = twoFunctions();
  const late = await hold(ours);
  await vi.advanceTimersByTimeAsync(6 * LEASE_MS);
  await hold(ours);
  await ours.release(late, 'failed');
  await vi.advanceTimersByTimeAsync(2 * LEASE_MS);
  expect(await isHeld(others)).toBe(true);
});
