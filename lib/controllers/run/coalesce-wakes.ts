import { optional } from '../../apis/optional.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { WakeTimes } from '../../core/provisioning/batch.ts';
import type { Wake } from '../../ports/messages.ts';
import type { QueuedMessage } from '../../ports/redelivery.ts';

/** One wake that stands for several wakes of a cluster. */
export interface CoalescedWake extends Wake {
  /** @default the send time of at least one wake is unknown */
  readonly times?: WakeTimes;
  /** The NodeClaims of the cluster, which a tick has begun to read. @default the run reads them */
  readonly claims?: Promise<readonly NodeClaimRecord[]>;
}

/** A wake that a queue delivered. */
export interface SentWake {
  readonly wake: Wake;
  /** By the queue's clock. Undefined: it is not batched, and a run answers it at once. */
  readonly sentAtMs: number | undefined;
}

/** The wake of a batch has the reasons of all its wakes. */
export function reasonsOf({ reason }: Pick<Wake, 'reason'>): readonly string[] {
  return reason.split('+');
}

/**
 * *Shape:* the result names a claim only if every wake names this claim. It has the fewest conflicts of the wakes: a wake without
 * conflicts can be for another object, and the first conflict of this object is repeated after a second.
 */
export function coalesceWakes(cluster: string, sent: readonly SentWake[]): CoalescedWake {
  const wakes = sent.map(({ wake }) => wake);
  const claims = [...new Set(wakes.map((wake) => wake.nodeClaim))];
  // The wake of a continued batch has several reasons.
  const reason = [...new Set(wakes.flatMap(reasonsOf))].join('+');
  const [nodeClaim] = claims;
  const digests = [...new Set(wakes.map(({ claimsDigest }) => claimsDigest))];
  const times = timesOf(sent);
  const conflicts = Math.min(...wakes.map((wake) => wake.conflicts ?? 0));
  return {
    cluster,
    reason,
    ...(claims.length === 1 && nodeClaim !== undefined ? { nodeClaim } : {}),
    // Another wake may be for a change after the list of the NodeClaims.
    ...optional({ times, claimsDigest: digests.length === 1 ? digests[0] : undefined }),
    ...(conflicts > 0 && { conflicts }),
  };
}

/** The times in a message are limited by the send time of its queue, so that a message cannot delay a run. */
function timesOf(sent: readonly SentWake[]): WakeTimes | undefined {
  let [firstMs, lastMs, sentMs] = [Infinity, -Infinity, -Infinity];
  let due: number | undefined;
  for (const { sentAtMs, wake } of sent) {
    if (sentAtMs === undefined) return undefined;
    const { sinceMs, lastMs: last, dueMs } = wake;
    firstMs = Math.min(firstMs, sentAtMs, sinceMs ?? Infinity);
    sentMs = Math.max(sentMs, sentAtMs);
    if (dueMs !== undefined) due = Math.max(due ?? dueMs, dueMs);
    lastMs = Math.max(lastMs, Math.min(sentAtMs, last ?? Infinity));
  }
  return { firstMs, lastMs, sentMs, ...optional({ dueMs: due }) };
}

/** The wake in a message; undefined if it is not one. */
export function parseWake({ body, sentAtMs }: QueuedMessage): SentWake | undefined {
  let wake: unknown;
  try {
    wake = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof wake !== 'object' || wake === null) return undefined;
  const { cluster, reason, nodeClaim, claimsDigest, ...times }: Partial<Record<keyof Wake, unknown>> = wake;
  const { sinceMs, lastMs, dueMs, conflicts } = times;
  if (typeof cluster !== 'string' || cluster === '' || typeof reason !== 'string') return undefined;
  if (nodeClaim !== undefined && typeof nodeClaim !== 'string') return undefined;
  if (claimsDigest !== undefined && typeof claimsDigest !== 'string') return undefined;
  if (!isAbsentOrTime(sinceMs) || !isAbsentOrTime(lastMs) || !isAbsentOrTime(dueMs)) return undefined;
  if (!isAbsentOrTime(conflicts)) return undefined;
  return {
    wake: { cluster, reason, ...optional({ nodeClaim, sinceMs, lastMs, dueMs, conflicts, claimsDigest }) },
    sentAtMs,
  };
}

function isAbsentOrTime(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value));
}
