import type { WakeTimes } from '../core/provisioning/batch.ts';
import type { ReceivedWake, Wake } from '../ports/messages.ts';

/** One wake for many of one cluster. */
export interface CoalescedWake extends Wake {
  /** @default of one of them it is not known when it was sent */
  readonly times?: WakeTimes;
}

/** *Shape:* it names a claim only where every one of them names that one. */
export function coalesceWakes(cluster: string, wakes: readonly ReceivedWake[]): CoalescedWake {
  const claims = [...new Set(wakes.map((wake) => wake.nodeClaim))];
  // A batch that is carried on names all its reasons already.
  const reason = [...new Set(wakes.flatMap((wake) => wake.reason.split('+')))].join('+');
  const [nodeClaim] = claims;
  const times = timesOf(wakes);
  return {
    cluster,
    reason,
    ...(claims.length === 1 && nodeClaim !== undefined ? { nodeClaim } : {}),
    ...(times === undefined ? {} : { times }),
  };
}

/** What a message says of itself counts only within what its queue says: nobody can put a look off with it. */
function timesOf(wakes: readonly ReceivedWake[]): WakeTimes | undefined {
  let [firstMs, lastMs, askedMs] = [Infinity, -Infinity, -Infinity];
  for (const { sentAtMs, sinceMs, lastMs: last, dueMs } of wakes) {
    if (sentAtMs === undefined) return undefined;
    firstMs = Math.min(firstMs, sentAtMs, sinceMs ?? Infinity);
    askedMs = Math.max(askedMs, sentAtMs, dueMs ?? -Infinity);
    lastMs = Math.max(lastMs, Math.min(sentAtMs, last ?? Infinity));
  }
  return { firstMs, lastMs, askedMs };
}
