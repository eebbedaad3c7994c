import type { NodePoolView } from '../model/cluster-snapshot.ts';
import type { Blocked } from '../model/decision.ts';
import type { UnreadableClaim } from '../model/node-claim-record.ts';

/**
 * The NodePools after claims whose records cannot be read. Such a claim counts as the largest possible one: it uses up the
 * limits of its NodePool, which launches nothing until the record is restored or deleted (promise 2). NodePools without limits
 * are not affected. The name of a claim begins with that of its NodePool; if none matches, the claim may be of any NodePool.
 */
export function withUnreadableClaims(
  views: readonly NodePoolView[],
  unreadable: readonly UnreadableClaim[],
): readonly NodePoolView[] {
  if (unreadable.length === 0) return views;
  const usedUp = new Map<string, UnreadableClaim>();
  for (const claim of unreadable) {
    const names = views.map(({ nodePool }) => nodePool.metadata.name);
    const own = names.filter((name) => claim.name.startsWith(`${name}-`));
    for (const name of own.length > 0 ? own : names) if (!usedUp.has(name)) usedUp.set(name, claim);
  }
  return views.map((view) => {
    const claim = usedUp.get(view.nodePool.metadata.name);
    if (claim === undefined || view.nodePool.spec.limits === undefined) return view;
    const message = `the record of NodeClaim ${claim.name} cannot be read, so its share of the limits is unknown: ${claim.message}`;
    return { ...view, instanceTypes: [], unusable: { reason: 'RecordUnreadable', message } };
  });
}

/** The claims that a run leaves aside. */
export function refusedClaims(unreadable: readonly UnreadableClaim[]): readonly Blocked[] {
  return unreadable.map(({ name, message }) => ({
    subject: { kind: 'NodeClaim', name },
    reason: 'RecordUnreadable',
    message,
    numbers: {},
  }));
}
