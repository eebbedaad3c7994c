import type { Cluster } from '../cluster.ts';
import { claimName } from '../planned-claim.ts';
import type { RawPlan } from '../raw-documents.ts';

/** Checks that the plan answers each provisionable pod once, and that each name in the plan exists. */
export function checkAnswers(cluster: Cluster, plan: RawPlan): readonly string[] {
  const places = placesOf(plan);
  const unanswered = [...cluster.provisionable].filter((pod) => !places.has(pod));
  return [
    ...unanswered.map((pod) => `pod ${pod} is pending and has no answer`),
    ...[...places].flatMap(([pod, where]) => faultsOf(cluster, pod, where)),
    ...plan.newNodeClaims.flatMap((claim, index) => [
      ...(cluster.pools.has(claim.nodePool)
        ? []
        : [`${claimName(claim, index)}: NodePool ${claim.nodePool} does not exist or may not launch nodes`]),
      ...(claim.pods.length === 0 ? [`${claimName(claim, index)} has no pods`] : []),
    ]),
    ...(plan.existing ?? []).flatMap(({ node }) => (cluster.nodes.has(node) ? [] : [`node ${node} does not exist`])),
  ];
}

function placesOf(plan: RawPlan): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  const note = (pod: string, where: string) => {
    const before = places.get(pod) ?? [];
    before.push(where);
    places.set(pod, before);
  };
  plan.newNodeClaims.forEach((claim, index) => claim.pods.forEach((pod) => note(pod, `claim ${index + 1}`)));
  plan.existing?.forEach(({ node, pods }) => pods.forEach((pod) => note(pod, `node ${node}`)));
  Object.keys(plan.podErrors ?? {}).forEach((pod) => note(pod, 'podErrors'));
  return places;
}

function faultsOf(cluster: Cluster, pod: string, where: readonly string[]): readonly string[] {
  const twice = where.length > 1 ? [`pod ${pod} is answered more than once: ${where.join(', ')}`] : [];
  if (!cluster.pods.has(pod)) {
    return [...twice, `pod ${pod} does not exist, but is in ${where.join(', ')}`];
  }
  const asked = cluster.provisionable.has(pod) || cluster.movable.has(pod);
  return asked ? twice : [...twice, `pod ${pod} does not need a place, but is in ${where.join(', ')}`];
}
