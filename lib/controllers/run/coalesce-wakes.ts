import type { WakeTimes } from '../../core/provisioning/batch.ts';
import type { Wake } from '../../ports/messages.ts';

/** One wake for many of one cluster. */
export interface CoalescedWake extends Wake {
  /** @default of one of them it is not known when it was sent */
  readonly times?: WakeTimes;
}

/** A wake that came through a queue. */
export interface SentWake {
  readonly wake: Wake;
  /** By the queue's clock. Undefined: a run of its own answers it, at once. */
  readonly sentAtMs: number | undefined;
}

/** *Shape:* it names a claim only where every one of them names that one. */
export function coalesceWakes(cluster: string, sent: readonly SentWake[]): CoalescedWake {
  const wakes = sent.map(({ wake }) => wake);
  const claims = [...new Set(wakes.map((wake) => wake.nodeClaim))];
  // A batch that is carried on names all its reasons already.
  const reason = [...new Set(wakes.flatMap((wake) => wake.reason.split('+')))].join('+');
  const [nodeClaim] = claims;
  const times = timesOf(sent);
  return {
    cluster,
    reason,
    ...(claims.length === 1 && nodeClaim !== undefined ? { nodeClaim } : {}),
    ...(times === undefined ? {} : { times }),
  };
}

/** What a message says of itself counts only within what its queue says: nobody can put a look off with it. */
function timesOf(sent: readonly SentWake[]): WakeTimes | undefined {
  let [firstMs, lastMs, askedMs] = [Infinity, -Infinity, -Infinity];
  for (const { sentAtMs, wake } of sent) {
    if (sentAtMs === undefined) return undefined;
    const { sinceMs, lastMs: last, dueMs } = wake;
    firstMs = Math.min(firstMs, sentAtMs, sinceMs ?? Infinity);
    askedMs = Math.max(askedMs, sentAtMs, dueMs ?? -Infinity);
    lastMs = Math.max(lastMs, Math.min(sentAtMs, last ?? Infinity));
  }
  return { firstMs, lastMs, askedMs };
}
