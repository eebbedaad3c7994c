import type { ClusterSnapshot, NodePoolView } from '../model/cluster-snapshot.ts';
import type { Blocked } from '../model/decision.ts';
import type { UnreadableClaim } from '../model/node-claim-record.ts';

/**
 * The NodePools after claims whose records cannot be read. Such a claim counts as the largest possible one: it uses up the
 * limits of its NodePool, which launches nothing until the record is restored or deleted (promise 2). NodePools without limits
 * are not affected.
 */
export function withUnreadableClaims(
  views: readonly NodePoolView[],
  unreadable: readonly UnreadableClaim[],
): readonly NodePoolView[] {
  if (unreadable.length === 0) return views;
  const usedUp = new Map<string, UnreadableClaim>();
  for (const claim of unreadable) {
    for (const name of poolsOf(claim.name, views)) if (!usedUp.has(name)) usedUp.set(name, claim);
  }
  return views.map((view) => {
    const claim = usedUp.get(view.nodePool.metadata.name);
    if (claim === undefined || view.nodePool.spec.limits === undefined) return view;
    const message = `the record of NodeClaim ${claim.name} cannot be read, so its share of the limits is unknown: ${claim.message}`;
    return { ...view, instanceTypes: [], unusable: { reason: 'RecordUnreadable', message } };
  });
}

/** The names of the NodePools that the claim may belong to: its name begins with that of its NodePool; if none matches, all. */
function poolsOf(claim: string, views: readonly NodePoolView[]): readonly string[] {
  const names = views.map(({ nodePool }) => nodePool.metadata.name);
  const own = names.filter((name) => claim.startsWith(`${name}-`));
  return own.length > 0 ? own : names;
}

/** The number of claims of the NodePool whose records cannot be read. For its budgets, each counts as being disrupted (promise 3). */
export function unreadableClaimsOf(nodePool: string, { ignoredObjects = [], nodePools }: ClusterSnapshot): number {
  return ignoredObjects.filter(
    ({ subject, reason }) =>
      reason === 'RecordUnreadable' &&
      subject.kind === 'NodeClaim' &&
      poolsOf(subject.name, nodePools).includes(nodePool),
  ).length;
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
