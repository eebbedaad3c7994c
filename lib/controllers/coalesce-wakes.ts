import type { Wake } from '../ports/messages.ts';

/** One wake for many of one cluster: it names a claim only where every one of them names that one. */
export function coalesceWakes(cluster: string, wakes: readonly Wake[]): Wake {
  const claims = [...new Set(wakes.map((wake) => wake.nodeClaim))];
  const reason = [...new Set(wakes.map((wake) => wake.reason))].join('+');
  const [nodeClaim] = claims;
  return { cluster, reason, ...(claims.length === 1 && nodeClaim !== undefined ? { nodeClaim } : {}) };
}
