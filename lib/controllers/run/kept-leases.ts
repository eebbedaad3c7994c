import { LEASE_MS, type Lease, type LeaseName, type Leases } from '../../ports/leases.ts';
import type { Cancel, Timer } from '../../ports/timer.ts';

/** Two renewals may fail before it lapses. */
const RENEW_AFTER_MS = LEASE_MS / 3;
/** A run that was given up goes on for as long as its function is warm: its lease lasts no longer than a function may run. */
const MAX_RENEWALS = 60_000 / RENEW_AFTER_MS;

/** Leases that are renewed for as long as they are held. */
export function keptLeases(leases: Leases, timer: Pick<Timer, 'after'>): Leases {
  const kept = new Map<string, { readonly fence: number; readonly cancel: Cancel }>();
  const stop = (lease: Lease): void => {
    const { fence, cancel } = kept.get(keyOf(lease)) ?? {};
    // A run that was given up may end beside the next one, which holds the lease by then.
    if (fence !== lease.fence) return;
    cancel?.();
    kept.delete(keyOf(lease));
  };
  const keep = (lease: Lease, renewals: number): void => {
    kept.get(keyOf(lease))?.cancel();
    const renew = async (): Promise<void> => {
      if (renewals + 1 < MAX_RENEWALS) keep(lease, renewals + 1);
      else stop(lease);
      // A renewal may fail: the next may succeed, and what the lease is for is fenced.
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
