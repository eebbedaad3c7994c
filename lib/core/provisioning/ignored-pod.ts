import { type DaemonSet, type NodeSelectorRequirement, namespaceOf, type Pod } from '../../apis/kubernetes.ts';
import { NODE_CLASS } from '../../apis/labels.ts';
import type { Blocked } from '../model/decision.ts';
import { type Refusal, refusal } from '../model/refusal.ts';
import { invalidAmount } from '../resources/pod-requests.ts';
import { matchingTerms, requiredTerms } from '../scheduling/pods/pod-requirements.ts';
import { requirementProblems } from '../validation/requirements.ts';

/** Kubernetes limits only the size of a pod. The time of a run grows with the square of the terms: 2 s for 4,000. */
const MAX_TERMS = 200;

/**
 * Why no node is launched for a pod, independent of the NodePools: it requires something that a NodePool cannot provide (B9), or
 * that is not supported yet (B60). The reason is reported, because the pod is valid for the kube-scheduler.
 */
export function whyIgnored({ spec }: Pod): Refusal | undefined {
  const claims = spec.resourceClaims ?? [];
  if (claims.length > 0) {
    const names = claims.map(({ name }) => name).join(', ');
    return refusal('Unsupported', `resource claims (DRA) are not supported yet: ${names}`, { claims: claims.length });
  }
  const amount = invalidAmount(spec);
  if (amount !== undefined) return refusal('InvalidQuantity', amount);
  const terms = requiredTerms(spec);
  if (terms.length > 0 && matchingTerms(spec).length === 0)
    return refusal(
      'EmptyTerms',
      'every term of its required node affinity is empty, and the kube-scheduler finds no node for an empty term',
    );
  if (terms.length > MAX_TERMS) {
    const message = `its required node affinity has ${terms.length} terms, and each may be tried; use ${MAX_TERMS} at most, with more values in each`;
    return refusal('Unsupported', message, { terms: terms.length });
  }
  const fields = terms.flatMap(({ matchFields = [] }) => matchFields);
  if (fields.length > 0) {
    const keys = [...new Set(fields.map(({ key }) => key))].join(', ');
    return refusal(
      'MatchFields',
      `its node affinity has matchFields (${keys}), which cannot be evaluated before the node exists`,
    );
  }
  const selected = Object.entries(spec.nodeSelector ?? {}).map(
    ([key, value]): NodeSelectorRequirement => ({ key, operator: 'In', values: [value] }),
  );
  const required = [...selected, ...terms.flatMap(({ matchExpressions = [] }) => matchExpressions)];
  // Pods may require the label of the NodeClass, although NodePools may not.
  const [problem] = requirementProblems(required.filter(({ key }) => key !== NODE_CLASS));
  return problem === undefined
    ? undefined
    : refusal(
        'InvalidLabel',
        `it requires a label that new nodes cannot have: ${problem.message}; use ${problem.allowed}`,
      );
}

/** The DaemonSets that the scheduling engine leaves out. */
export function ignoredDaemonSets(cluster: string, daemonSets: readonly DaemonSet[]): readonly Blocked[] {
  return daemonSets.flatMap((daemonSet) => {
    const amount = invalidAmount(daemonSet.spec.template.spec);
    if (amount === undefined) return [];
    const name = `${namespaceOf(daemonSet)}/${daemonSet.metadata.name}`;
    const why = refusal('InvalidQuantity', `DaemonSet ${name} is left out, because ${amount}`);
    return [{ subject: { kind: 'Cluster', name: cluster }, ...why }];
  });
}
