import type { Namespace, Pod } from '../../../apis/kubernetes.ts';
import { namespaceOf } from '../../../apis/kubernetes.ts';
import { hardTaints, untoleratedTaint } from '../../../apis/taints.ts';
import { whyIncompatible, whyLabelsFail } from '../../requirements/requirements.ts';
import type { ExistingHost } from '../placement/existing-host.ts';
import type { OpenClaim } from '../placement/open-claim.ts';
import type { RequirementSets } from '../pools/requirement-sets.ts';
import type { TypeIndex } from '../pools/type-index.ts';
import type { SchedulingProblem } from '../schedule.ts';
import { type CountedHost, counters, namespacesOf } from './counters.ts';
import { eligibleDomains } from './eligible-domains.ts';
import type { HostFilters, RuleSources } from './rules.ts';
import { topologyKeys } from './topology-key.ts';

/** Where rules look things up: labels, counters, namespaces, and which hosts count for whom. */
export function ruleSources(
  { stateNodes, pods, namespaces }: SchedulingProblem,
  run: {
    readonly hosts: readonly ExistingHost[];
    readonly claims: readonly OpenClaim[];
    readonly pools: readonly TypeIndex[];
    readonly sets: RequirementSets;
  },
): RuleSources {
  const known = namespaces ?? namespacesInUse([...pods, ...stateNodes.flatMap((one) => one.pods)]);
  return {
    counters: counters(),
    keyOf: topologyKeys(
      run.pools.map(({ template }) => template),
      stateNodes,
    ),
    namespacesOf: remembered(known),
    filters: hostFilters(run.hosts, run.claims),
    eligibleDomains: eligibleDomains(run.hosts, run.pools, run.sets),
  };
}

/** Many pods write the same term. */
function remembered(known: readonly Namespace[]): RuleSources['namespacesOf'] {
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

/** B51: a node by its labels, a claim by what it may still become. */
function hostFilters(existing: readonly ExistingHost[], claims: readonly OpenClaim[]): HostFilters {
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
