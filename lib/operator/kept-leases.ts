import { LEASE_MS, type Lease, type LeaseName, type Leases } from '../ports/leases.ts';

/** Two renewals may fail before it lapses. */
const RENEW_AFTER_MS = LEASE_MS / 3;
/** A run that was given up goes on for as long as its function is warm: its lease lasts no longer than a function may run. */
const MOST_RENEWALS = 60_000 / RENEW_AFTER_MS;

/** Leases that are renewed for as long as they are held. */
export function keptLeases(leases: Leases): Leases {
  const kept = new Map<string, { readonly fence: number; readonly timer: NodeJS.Timeout }>();
  const stop = (lease: Lease): void => {
    const { fence, timer } = kept.get(keyOf(lease)) ?? {};
    // A run that was given up may end beside the next one, which holds the lease by then.
    if (fence !== lease.fence) return;
    clearInterval(timer);
    kept.delete(keyOf(lease));
  };
  const keep = (lease: Lease): void => {
    clearInterval(kept.get(keyOf(lease))?.timer);
    let renewals = 0;
    const renew = async (): Promise<void> => {
      renewals += 1;
      if (renewals >= MOST_RENEWALS) stop(lease);
      // One that fails is no news: the next may succeed, and what the lease is for is fenced.
      await Promise.allSettled([leases.renew(lease)]);
    };
    const timer = setInterval(() => void renew(), RENEW_AFTER_MS).unref();
    kept.set(keyOf(lease), { fence: lease.fence, timer });
  };
  return {
    see: async (name) => leases.see(name),
    renew: async (lease) => leases.renew(lease),
    async acquire(seen) {
      const acquired = await leases.acquire(seen);
      if (acquired.kind === 'held') keep(acquired.lease);
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
