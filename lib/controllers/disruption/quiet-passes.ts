/** What disruption keeps between two looks of a process, so that most looks only repeat the last verdict (E25). */
import { type DisruptContext, disruptBy } from '../../core/disruption/disrupt.ts';
import { isStillQuiet, type QuietPass, quietPass } from '../../core/disruption/memory/quiet-pass.ts';
import type { Method } from '../../core/disruption/method.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import type { Verdict } from '../../core/model/decision.ts';
import type { NodeClaimList } from '../../ports/node-claim-store.ts';
import type { CoalescedWake } from '../run/coalesce-wakes.ts';

/** What a function does, and what it keeps while it is warm. */
export interface Disruption {
  readonly methods: readonly Method[];
  /** E25: the last pass without a result, by the name of the cluster. It saves work and changes no decision. */
  readonly quiet: Map<string, QuietPass>;
  /** The NodeClaims of the last look, by the name of the cluster. */
  readonly claims: Map<string, { readonly claims: NodeClaimList; readonly digest: string }>;
}

/** A tick for the NodeClaims of the last look, after a pass that had nothing to do. */
export function mayBeQuiet(
  { claims, quiet }: Pick<Disruption, 'claims' | 'quiet'>,
  { cluster, reason, claimsDigest }: CoalescedWake,
): boolean {
  const isSame = claimsDigest !== undefined && claims.get(cluster)?.digest === claimsDigest;
  return isSame && reason === 'tick' && quiet.has(cluster);
}

interface Observed {
  readonly snapshot: ClusterSnapshot;
  readonly context: DisruptContext;
}

export function isQuiet(quiet: Disruption['quiet'], { snapshot, context }: Observed): boolean {
  const before = quiet.get(snapshot.cluster);
  return before !== undefined && isStillQuiet(before, snapshot, context);
}

/** The verdict of a pass, or the last one if nothing has changed since. */
export function decide(
  { methods, quiet }: Pick<Disruption, 'methods' | 'quiet'>,
  snapshot: ClusterSnapshot,
  context: DisruptContext,
): Verdict {
  const { cluster } = snapshot;
  const before = quiet.get(cluster);
  if (before !== undefined && isStillQuiet(before, snapshot, context)) return before.verdict;
  const verdict = disruptBy(methods, snapshot, context);
  const now = quietPass({ snapshot, context, verdict }, before);
  if (now === undefined) quiet.delete(cluster);
  else quiet.set(cluster, now);
  return verdict;
}
