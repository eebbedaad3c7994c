import type { NodeSelectorRequirement, Pod } from '../../apis/kubernetes.ts';
import { NODE_CLASS } from '../../apis/labels.ts';
import { type Refusal, refusal } from '../model/refusal.ts';
import { requirementProblems } from '../validation/requirements.ts';

/**
 * Why no node is made for a pod, whatever the NodePools are: it asks for something that no NodePool may promise (B9), or for
 * what is not weighed yet (B60). It is told and not passed over: to the kube-scheduler the pod is sound.
 */
export function whyIgnored({ spec }: Pod): Refusal | undefined {
  const claims = spec.resourceClaims ?? [];
  if (claims.length > 0) {
    const names = claims.map(({ name }) => name).join(', ');
    return refusal('Unsupported', `resource claims (DRA) are not supported yet: ${names}`, { claims: claims.length });
  }
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const fields = terms.flatMap(({ matchFields = [] }) => matchFields);
  if (fields.length > 0) {
    const keys = [...new Set(fields.map(({ key }) => key))].join(', ');
    return refusal(
      'MatchFields',
      `its node affinity matches fields of nodes (${keys}), which nobody knows before there is a node`,
    );
  }
  const selected = Object.entries(spec.nodeSelector ?? {}).map(
    ([key, value]): NodeSelectorRequirement => ({ key, operator: 'In', values: [value] }),
  );
  const asked = [...selected, ...terms.flatMap(({ matchExpressions = [] }) => matchExpressions)];
  // The class's own label is the user's to ask for, though not a NodePool's to require.
  const [problem] = requirementProblems(asked.filter(({ key }) => key !== NODE_CLASS));
  return problem === undefined
    ? undefined
    : refusal(
        'InvalidLabel',
        `it asks for a label that no node can promise: ${problem.message}; use ${problem.allowed}`,
      );
}
