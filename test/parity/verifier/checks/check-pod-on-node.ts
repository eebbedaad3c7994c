import type { Cluster } from '../cluster.ts';
import { hasNodeSelection, type LabelView, nodeAffinityHolds } from '../label-selectors.ts';
import type { PlannedClaim } from '../planned-claim.ts';
import type { RawPod, RawTaint } from '../raw-documents.ts';
import { untolerated } from '../taints-and-tolerations.ts';
import { volumesReach } from '../volumes.ts';
import { keyOf } from '../well-known-labels.ts';

/** Taints, node affinity and volumes of one pod, on one node or on all options of a claim. */

export interface NodeLook {
  readonly labels: LabelView;
  readonly taints: readonly RawTaint[];
  readonly nodeName?: string;
}

export function checkPodOnNode(cluster: Cluster, pod: RawPod, node: NodeLook): readonly string[] {
  const { spec } = pod;
  const taint = untolerated(node.taints, spec.tolerations ?? []);
  const volumes = cluster.volumesOf(pod);
  return [
    ...(taint === undefined ? [] : [`does not tolerate ${taint.key}=${taint.value ?? ''}:${taint.effect}`]),
    ...(nodeAffinityHolds(spec, node.labels, node.nodeName)
      ? []
      : ['has a node selector or affinity that does not hold']),
    ...(volumesReach(volumes, node.labels) ? [] : ['has a volume that cannot be reached']),
    ...(volumes.missing === undefined ? [] : [`may not be placed: ${volumes.missing}`]),
    // B60: devices are not modelled, so no node is assumed to have them.
    ...((spec.resourceClaims ?? []).length === 0 ? [] : ['may not be placed: it has resource claims']),
  ].map((fault) => `pod ${keyOf(pod.metadata)} ${fault}`);
}

/** The same for every outcome of a claim; the first outcome that fails is reported. */
export function checkPodsOfClaim(cluster: Cluster, { allowance, pods, launch, name }: PlannedClaim): readonly string[] {
  const taints = allowance.pool.spec.template.spec.taints ?? [];
  return pods.flatMap((pod) => {
    // A rule that holds for everything that the requirements allow holds for each option.
    const general = checkPodOnNode(cluster, pod, { labels: allowance.labels, taints });
    if (general.length === 0 || (!hasNodeSelection(pod.spec) && cluster.volumesOf(pod).places.length === 0)) {
      return general.map((fault) => `${name}: ${fault}`);
    }
    for (const { labels, type, offering } of launch.options) {
      const faults = checkPodOnNode(cluster, pod, { labels, taints });
      if (faults.length > 0) {
        const outcome = `${type.name}, ${offering.zone}, ${offering.capacityType}`;
        return faults.map((fault) => `${name}: ${fault} if it becomes ${outcome}`);
      }
    }
    return [];
  });
}
