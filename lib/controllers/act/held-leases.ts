import { optional } from '../../apis/optional.ts';
import { answersUntil } from '../../core/provisioning/batch.ts';
import { PortError } from '../../ports/errors.ts';
import { LEASE_MS, type Lease, type Leases, type RunOutcome } from '../../ports/leases.ts';
import type { Wake } from '../../ports/messages.ts';
import type { CoalescedWake } from '../run/coalesce-wakes.ts';
import type { HasClock, SendsWakes, UsesLeases } from '../run/ports.ts';

/** The reason of the wakes that a run sends to its own function. */
export const AGAIN = 'again';

/** Acquires the lease for a run that answers the wakes that it has received now, and those that it would read as well. */
export function acquiring({ leases, clock }: UsesLeases & HasClock, { times }: CoalescedWake): Leases['acquire'] {
  const receivedAtMs = clock.now();
  return ({ answersUntilMs: before, ...seen }) => {
    const answersUntilMs = answersUntil(times, { tookMs: clock.now() - receivedAtMs, before });
    return leases.acquire({ ...seen, ...optional({ answersUntilMs }) });
  };
}

/**
 * The lease of a failed release expires after LEASE_MS. Runs that find it held until then rely on this one, so a wake follows it: one, and
 * none after the run of such a wake. *Errors:* that of the release.
 */
export async function releaseLease(
  { leases, messages }: UsesLeases & SendsWakes,
  lease: Lease,
  { outcome, wake }: { readonly outcome: RunOutcome; readonly wake: Pick<Wake, 'reason'> },
): Promise<{ readonly runAgain: boolean }> {
  try {
    return await leases.release(lease, outcome);
  } catch (error) {
    const { cluster, work } = lease;
    // If it cannot be sent, the next tick follows.
    if (wake.reason !== AGAIN) await Promise.allSettled([messages.wake(work, { cluster, reason: AGAIN }, LEASE_MS)]);
    throw error;
  }
}

/** The run fails with its own error. Its messages are delivered again and answer a mark. */
export async function releaseAsFailed(
  ports: UsesLeases & SendsWakes,
  lease: Lease,
  wake: Pick<Wake, 'reason'>,
): Promise<void> {
  try {
    await releaseLease(ports, lease, { outcome: 'failed', wake });
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
  }
}
