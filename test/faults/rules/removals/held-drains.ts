import { MINUTE_MS, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';

/** The pause between the polls of a drain that nothing holds. */
const SHORTEST_PAUSE_MS = 5 * SECOND_MS;

/** What the rules remember of drains that budgets or annotations hold. */
export interface HeldDrains {
  /** Notes what a drain waits for. */
  note(record: NodeClaimRecord, waitsFor: 'leave' | 'end-of-pod' | 'nothing', nowMs: number): void;
  /** The longest time until the next poll. */
  pauseMs(record: NodeClaimRecord, nowMs: number): number;
}

/**
 * D23: a drain that was held is polled after a quarter of the time that it has waited, at most a minute. It is polled every 5 s
 * again after a poll has found a pod that ends; a pod may end between two polls. A drain that was never held is polled every
 * 5 s, also if it takes long.
 */
export function heldDrains(): HeldDrains {
  /** Held drains, with the latest time of the first poll that finds the pod that ends now. */
  const held = new Map<string, { readonly foundByMs?: number }>();
  const pauseMs: HeldDrains['pauseMs'] = ({ name, deletion }, nowMs) => {
    if (!held.has(name)) return SHORTEST_PAUSE_MS;
    const sinceMs = deletion?.evictionsRefused?.sinceMs ?? deletion?.drainStartedAtMs ?? nowMs;
    return Math.min(Math.max((nowMs - sinceMs) / 4, SHORTEST_PAUSE_MS), MINUTE_MS);
  };
  return {
    pauseMs,
    note(record, waitsFor, nowMs) {
      const { name } = record;
      const known = held.get(name);
      if (waitsFor === 'leave') held.set(name, {});
      if (known === undefined || waitsFor !== 'end-of-pod') return;
      const { foundByMs = nowMs + pauseMs(record, nowMs) } = known;
      if (nowMs > foundByMs) held.delete(name);
      else held.set(name, { foundByMs });
    },
  };
}
