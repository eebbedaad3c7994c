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
 * What is wrong with a plan, by the rules of the kube-scheduler and of Karpenter, in plain words; nothing for a sound plan.
 *
 * It shares no code with the engine and reads the documents as they are, so that a rule misread there is not misread here as well.
 * Preferences are no rules, and whether more could be placed or for less is not asked. Two kinds of message have a prefix:
 * - `open:` what the plan leaves undecided (a zone, say) may still turn out so that a rule is broken;
 * - `promise:` a limit of a NodePool holds for the cheapest types only, where Kerf promises it for all.
 *
 * *Cost*: linear in pods and in claims times listed types; a second or so for 20,000 pods on 4,000 claims.
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
