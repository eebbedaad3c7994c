import { LEASE_MS, type Lease, type LeaseName, type Leases } from '../../ports/leases.ts';
import type { Cancel, Timer } from '../../ports/timer.ts';

/** Two renewals may fail before the lease lapses. */
const RENEW_AFTER_MS = LEASE_MS / 3;
/** An abandoned run continues while its function is warm. Its lease is not renewed for longer than a function may run. */
const MAX_RENEWALS = 60_000 / RENEW_AFTER_MS;

/** Renews leases while they are held. */
export function keptLeases(leases: Leases, timer: Pick<Timer, 'after'>): Leases {
  const kept = new Map<string, { readonly fence: number; readonly cancel: Cancel }>();
  const stop = (lease: Lease): void => {
    const { fence, cancel } = kept.get(keyOf(lease)) ?? {};
    // An abandoned run may end while the next run holds the lease.
    if (fence !== lease.fence) return;
    cancel?.();
    kept.delete(keyOf(lease));
  };
  const keep = (lease: Lease, renewals: number): void => {
    kept.get(keyOf(lease))?.cancel();
    const renew = async (): Promise<void> => {
      if (renewals + 1 < MAX_RENEWALS) keep(lease, renewals + 1);
      else stop(lease);
      // A failure is ignored: the next renewal may succeed, and the fence rejects decisions after the lease has lapsed.
      await Promise.allSettled([leases.renew(lease)]);
    };
    kept.set(keyOf(lease), { fence: lease.fence, cancel: timer.after(RENEW_AFTER_MS, () => void renew()) });
  };
  return {
    see: async (name) => leases.see(name),
    renew: async (lease) => leases.renew(lease),
    async acquire(seen) {
      const acquired = await leases.acquire(seen);
      if (acquired.kind === 'held') keep(acquired.lease, 0);
      return acquired;
    },
    async release(lease, outcome) {
      stop(lease);
      return leases.release(lease, outcome);
    },
  };
}

function keyOf({ cluster, work }: LeaseName): string {
  return `${cluster}/${work}`;
}
