import type { Taint, Toleration } from '../../../apis/kubernetes.ts';
import { hardTaints, untoleratedTaint } from '../../../apis/taints.ts';
import { whyLabelsFail } from '../../requirements/requirements.ts';
import type { ExistingHost } from '../placement/existing-host.ts';
import { isEmptyBitset } from '../pools/bitset.ts';
import type { RequirementSet, RequirementSets } from '../pools/requirement-sets.ts';
import type { PoolTypeIndex } from '../pools/type-index.ts';
import type { RuleSources, SpreadFilter } from './rules.ts';
import type { TopologyKey } from './topology-key.ts';

/**
 * B45, B51: the domains of a spread constraint: those with a node that counts for the pod, and those in which a pool could launch
 * one. Karpenter uses every domain of every pool, and leaves pods unschedulable if the pod cannot use one of these domains.
 */
export function eligibleDomains(
  hosts: readonly ExistingHost[],
  pools: readonly PoolTypeIndex[],
  sets: RequirementSets,
): RuleSources['eligibleDomains'] {
  const ofAnyone = new Map<string, readonly number[]>();
  const work = (key: TopologyKey, filter: SpreadFilter): readonly number[] => {
    const isCounted = (host: ExistingHost): boolean =>
      countsFor(host, filter) && filter.otherKeys.every((other) => host.domainsOf(other).length > 0);
    const there = new Set(hosts.filter(isCounted).flatMap((host) => host.domainsOf(key)));
    const asked = filter.alternatives.map((one) => sets.intern(one));
    const launched = (domain: number): boolean =>
      pools.some((types) => launches(types, { inDomain: key.pinnedTo(domain, sets), asked, filter, sets }));
    return [...key.values.keys()].filter((domain) => there.has(domain) || launched(domain));
  };
  return (key, filter) => {
    // Most pods have no requirements, so their domains are cached.
    if (filter.tolerations !== undefined || filter.alternatives.some(({ size }) => size > 0)) return work(key, filter);
    const names = [key, ...filter.otherKeys].map(({ name }) => name).join();
    const known = ofAnyone.get(names) ?? work(key, filter);
    ofAnyone.set(names, known);
    return known;
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
  readonly inDomain: RequirementSet;
  readonly asked: readonly RequirementSet[];
  readonly filter: SpreadFilter;
  readonly sets: RequirementSets;
}

function launches(types: PoolTypeIndex, { inDomain, asked, filter, sets }: Wanted): boolean {
  if (filter.tolerations !== undefined && !isTolerated(types.template.taints, filter.tolerations)) return false;
  const there = sets.join(types.set, inDomain);
  if (there === undefined) return false;
  return asked.some((one) => {
    const set = sets.join(there, one);
    if (set === undefined || filter.otherKeys.some((key) => key.openTo(set).length === 0)) return false;
    return !isEmptyBitset(types.selectionFor(set).types);
  });
}
