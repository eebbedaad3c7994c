import type { Namespace, Pod } from '../../../apis/kubernetes.ts';
import { namespaceOf } from '../../../apis/kubernetes.ts';
import { hardTaints, untoleratedTaint } from '../../../apis/taints.ts';
import { whyIncompatible, whyLabelsFail } from '../../requirements/requirements.ts';
import type { ExistingHost } from '../placement/existing-host.ts';
import type { OpenClaim } from '../placement/open-claim.ts';
import type { NodeClaimTemplate } from '../pools/template.ts';
import type { SchedulingProblem } from '../schedule.ts';
import { type CountedHost, type HostFacts, namespacesOf } from './counters.ts';
import type { TermSources } from './rules.ts';
import { topologyKeys } from './topology-key.ts';

/** Resolves the topology keys and namespaces of pod terms. */
export function termSources(
  { stateNodes, pods, namespaces }: SchedulingProblem,
  templates: readonly NodeClaimTemplate[],
): TermSources {
  const known = namespaces ?? namespacesInUse([...pods, ...stateNodes.flatMap((one) => one.pods)]);
  return { keyOf: topologyKeys(templates, stateNodes), namespacesOf: cached(known) };
}

/** Cached, because many pods have the same term. */
function cached(known: readonly Namespace[]): TermSources['namespacesOf'] {
  const found = new Map<string, ReadonlySet<string> | undefined>();
  return (term, owner) => {
    const text = JSON.stringify([term.namespaces, term.namespaceSelector, owner]);
    if (!found.has(text)) found.set(text, namespacesOf(term, owner, known));
    return found.get(text);
  };
}

function namespacesInUse(pods: readonly Pod[]): readonly Namespace[] {
  return [...new Set(pods.map(namespaceOf))].map((name) => ({ metadata: { name } }));
}

/** B51: uses the labels of a node, and the requirements of a claim. */
export function hostFacts(existing: readonly ExistingHost[], claims: readonly OpenClaim[]): HostFacts {
  const claimAt = (host: CountedHost): OpenClaim | undefined => claims[host.index - existing.length];
  return {
    meets(host, alternatives) {
      const node = existing[host.index];
      const claim = claimAt(host);
      return alternatives.some((asked) => {
        if (node?.fixed === true) {
          return whyLabelsFail(node.stateNode.labels, asked) === undefined;
        }
        const offered = node?.requirements ?? claim?.set.requirements;
        return offered !== undefined && whyIncompatible(offered, asked) === undefined;
      });
    },
    toleratedBy(host, pod) {
      const taints = existing[host.index]?.taints ?? claimAt(host)?.types.template.taints ?? [];
      return untoleratedTaint(hardTaints(taints), pod.spec.tolerations) === undefined;
    },
  };
}
