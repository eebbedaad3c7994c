import { checkAffinity } from './checks/check-affinity.ts';
import { checkAnswers } from './checks/check-answers.ts';
import { checkAntiAffinity } from './checks/check-anti-affinity.ts';
import { checkClaims } from './checks/check-claims.ts';
import { checkExisting } from './checks/check-existing.ts';
import { checkPools } from './checks/check-pools.ts';
import { checkSpread } from './checks/check-spread.ts';
import { clusterOf } from './cluster.ts';
import { placementOf } from './placed-pods.ts';
import { plannedClaims } from './planned-claim.ts';
import type { RawPlan, RawSnapshot } from './raw-documents.ts';

/**
 * The violations of the rules of the kube-scheduler and of Karpenter in a plan, as text; none for a correct plan.
 *
 * It shares no code with the engine and reads the JSON documents directly, so that an error in the engine is not repeated here.
 * Preferences are not checked, nor whether more pods could be placed or at a lower price. Two kinds of message have a prefix:
 * - `open:` an outcome that the plan leaves open (for example a zone) may break a rule;
 * - `promise:` a limit of a NodePool holds for the cheapest types only, although Kerf keeps it for all.
 *
 * *Cost*: linear in pods and in claims times listed types; about a second for 20,000 pods on 4,000 claims.
 */
export function verifyPlan(snapshot: RawSnapshot, plan: RawPlan): readonly string[] {
  const cluster = clusterOf(snapshot);
  const claims = plannedClaims(cluster, plan);
  const placement = placementOf(cluster, plan, claims);
  return [
    ...checkAnswers(cluster, plan),
    ...checkClaims(cluster, claims, plan),
    ...checkPools(cluster, claims),
    ...checkExisting(cluster, plan),
    ...checkSpread(cluster, placement),
    ...checkAffinity(placement),
    ...checkAntiAffinity(placement),
  ];
}
