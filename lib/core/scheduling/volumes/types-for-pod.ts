import type { Pod } from '../../../apis/kubernetes.ts';
import { untoleratedTaint } from '../../../apis/taints.ts';
import { suitability } from '../../instance-type/suitable-types.ts';
import type { NodePoolView } from '../../model/cluster-snapshot.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import { merge, whyIncompatible } from '../../requirements/requirements.ts';
import { podRequests } from '../../resources/pod-requests.ts';
import { fits } from '../../resources/resources.ts';
import { requiredAlternatives } from '../pods/pod-requirements.ts';
import { poolRequirements } from '../pools/template.ts';

/** The types of the NodePools that are large enough for the pod and meet its requirements, without its volumes and DaemonSets. */
export function* typesFor(pod: Pod, nodePools: readonly NodePoolView[]): Generator<InstanceType> {
  const requests = podRequests(pod);
  for (const { nodePool, instanceTypes, unusable } of nodePools) {
    const taint = untoleratedTaint(nodePool.spec.template.spec.taints ?? [], pod.spec.tolerations);
    if (unusable !== undefined || taint !== undefined) continue;
    const own = poolRequirements(nodePool);
    for (const asked of requiredAlternatives(pod)) {
      if (whyIncompatible(own, asked) !== undefined) continue;
      const suits = suitability(merge(own, asked));
      for (const type of instanceTypes) if (fits(requests, type.allocatable) && suits(type)) yield type;
    }
  }
}
