import { optional } from '../apis/optional.ts';
import type { Clock } from '../ports/clock.ts';
import { StaleLeaseError } from '../ports/errors.ts';
import { isHeldAt, LEASE_MS, type Lease, type LeaseName, type Leases, type SeenLease } from '../ports/leases.ts';

export interface MemoryLeases extends Leases {
  /** Whether no later holder has acquired the lease. */
  readonly isCurrent: (lease: Lease) => boolean;
}

interface State {
  readonly fence: number;
  readonly heldUntilMs: number;
  readonly lookingSinceMs: number;
  readonly lookedAtMs: number | undefined;
  readonly answeringUntilMs: number | undefined;
  readonly answeredUntilMs: number | undefined;
  readonly wanted: boolean;
}

const NEVER: State = {
  fence: 0,
  heldUntilMs: 0,
  lookingSinceMs: 0,
  lookedAtMs: undefined,
  answeringUntilMs: undefined,
  answeredUntilMs: undefined,
  wanted: false,
};

/** The leases in memory. */
export function memoryLeases(clock: Clock): MemoryLeases {
  const states = new Map<string, State>();
  const stateOf = (name: LeaseName): State => states.get(keyOf(name)) ?? NEVER;
  const change = (name: LeaseName, changed: Partial<State>): void =>
    void states.set(keyOf(name), { ...stateOf(name), ...changed });
  const isCurrent = (lease: Lease): boolean => stateOf(lease).fence === lease.fence;
  const seen = ({ cluster, work }: LeaseName): SeenLease => {
    const { fence, heldUntilMs, lookingSinceMs, lookedAtMs, answeringUntilMs, answeredUntilMs } = stateOf({
      cluster,
      work,
    });
    const isHeld = isHeldAt(clock.now(), heldUntilMs);
    const runAtMs = isHeld ? lookingSinceMs : lookedAtMs;
    const answersUntilMs = isHeld ? answeringUntilMs : answeredUntilMs;
    return { cluster, work, fence, heldUntilMs, ...optional({ runAtMs, answersUntilMs }) };
  };
  return {
    isCurrent,
    see: async (name) => seen(name),
    async acquire({ cluster, work, fence, heldUntilMs: seenUntilMs, answersUntilMs }) {
      const nowMs = clock.now();
      const { heldUntilMs } = stateOf({ cluster, work });
      const isAsSeen =
        stateOf({ cluster, work }).fence === fence && isHeldAt(nowMs, heldUntilMs) === isHeldAt(nowMs, seenUntilMs);
      if (!isAsSeen) return { kind: 'changed', seen: seen({ cluster, work }) };
      if (isHeldAt(nowMs, heldUntilMs)) {
        change({ cluster, work }, { wanted: true });
        return { kind: 'busy' };
      }
      const lease = { cluster, work, fence: fence + 1, sinceMs: nowMs, ...optional({ answersUntilMs }) };
      const looking = { lookingSinceMs: nowMs, answeringUntilMs: answersUntilMs };
      change(lease, { fence: fence + 1, heldUntilMs: nowMs + LEASE_MS, ...looking, wanted: false });
      return { kind: 'held', lease };
    },
    async renew(lease) {
      const nowMs = clock.now();
      if (!isCurrent(lease) || stateOf(lease).heldUntilMs <= nowMs) {
        throw new StaleLeaseError(
          `${lease.work} of ${lease.cluster}: lease ${lease.fence} has expired: acquire it again`,
        );
      }
      change(lease, { heldUntilMs: nowMs + LEASE_MS });
    },
    async release(lease, outcome) {
      if (!isCurrent(lease)) return { runAgain: false };
      const { wanted } = stateOf(lease);
      const looked = { lookedAtMs: lease.sinceMs, answeredUntilMs: lease.answersUntilMs };
      change(lease, { heldUntilMs: 0, wanted: false, ...(outcome === 'done' && looked) });
      return { runAgain: wanted };
    },
  };
}

function keyOf({ cluster, work }: LeaseName): string {
  return `${cluster}/${work}`;
}
