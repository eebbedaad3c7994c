import type { Taint, Toleration } from '../../../apis/kubernetes.ts';
import { hardTaints, untoleratedTaint } from '../../../apis/taints.ts';
import { oneOf } from '../../requirements/requirement.ts';
import { whyLabelsFail } from '../../requirements/requirements.ts';
import type { ExistingHost } from '../placement/existing-host.ts';
import { isEmptyBitset } from '../pools/bitset.ts';
import type { RequirementSets } from '../pools/requirement-sets.ts';
import type { TypeIndex } from '../pools/type-index.ts';
import type { RuleSources, SpreadFilter } from './rules.ts';
import type { TopologyKey } from './topology-key.ts';

/**
 * B45, B51: the domains among which a spread constraint looks for the emptiest: those with a node that counts for the pod,
 * and those in which a pool could launch one. Karpenter takes every domain of every pool, and leaves pods without a place
 * where one of them has nothing that the pod could use.
 */
export function eligibleDomains(
  hosts: readonly ExistingHost[],
  pools: readonly TypeIndex[],
  sets: RequirementSets,
): RuleSources['eligibleDomains'] {
  return (key, filter) => {
    const there = new Set(hosts.filter((host) => countsFor(host, filter)).flatMap((host) => host.domainsOf(key)));
    return key.values.flatMap((value, domain) =>
      there.has(domain) || pools.some((types) => launches(types, { key, value, filter, sets })) ? [domain] : [],
    );
  };
}

function countsFor({ stateNode, fixed }: ExistingHost, { alternatives, tolerations }: SpreadFilter): boolean {
  if (!fixed || (tolerations !== undefined && !isTolerated(stateNode.taints, tolerations))) return false;
  return alternatives.some((asked) => whyLabelsFail(stateNode.labels, asked) === undefined);
}

function isTolerated(taints: readonly Taint[], tolerations: readonly Toleration[]): boolean {
  return untoleratedTaint(hardTaints(taints), tolerations) === undefined;
}

interface Wanted {
  readonly key: TopologyKey;
  readonly value: string;
  readonly filter: SpreadFilter;
  readonly sets: RequirementSets;
}

function launches(types: TypeIndex, { key, value, filter, sets }: Wanted): boolean {
  if (filter.tolerations !== undefined && !isTolerated(types.template.taints, filter.tolerations)) return false;
  const inDomain = sets.join(types.set, sets.intern(new Map([[key.name, oneOf(key.name, [value])]])));
  if (inDomain === undefined) return false;
  return filter.alternatives.some((asked) => {
    const set = sets.join(inDomain, sets.intern(asked));
    return set !== undefined && !isEmptyBitset(types.selectionFor(set).types);
  });
}
