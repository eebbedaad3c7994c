import { HOUR_MS } from '../../apis/formats/time.ts';
import { refusalKey } from '../../core/decisions/recorded-refusals.ts';
import type { Blocked } from '../../core/model/decision.ts';

/** A refusal that was not seen for this time is new again. */
const FORGOTTEN_MS = HOUR_MS;

/**
 * The refusals that records have, in the memory of one process, so that it costs no read. Another process records its refusals once
 * more.
 */
export interface RefusalMemory {
  /** @param work the cluster and the function. *Shape:* the refusals that no record has. Those that one has count as seen now. */
  fresh(work: string, blocked: readonly Blocked[], nowMs: number): readonly Blocked[];
  /** They are in a record now. */
  recorded(work: string, blocked: readonly Blocked[], nowMs: number): void;
}

export function refusalMemory(): RefusalMemory {
  const seen = new Map<string, Map<string, number>>();
  return {
    fresh(work, blocked, nowMs) {
      const known = seen.get(work);
      if (known === undefined) return blocked;
      for (const [key, atMs] of known) if (nowMs - atMs >= FORGOTTEN_MS) known.delete(key);
      return blocked.filter((one) => {
        const key = refusalKey(one);
        if (!known.has(key)) return true;
        known.set(key, nowMs);
        return false;
      });
    },
    recorded(work, blocked, nowMs) {
      const known = seen.get(work) ?? new Map<string, number>();
      seen.set(work, known);
      for (const one of blocked) known.set(refusalKey(one), nowMs);
    },
  };
}
