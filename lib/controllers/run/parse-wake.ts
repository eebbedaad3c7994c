import { optional } from '../../apis/optional.ts';
import type { Wake } from '../../ports/messages.ts';
import type { QueuedMessage } from '../../ports/redelivery.ts';
import type { SentWake } from './coalesce-wakes.ts';

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
