import { SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { type Pod, podKey } from '../../../../lib/apis/kubernetes.ts';
import { ownNomination } from '../../../../lib/core/cluster/nominated-node.ts';
import { isProvisionable } from '../../../../lib/core/cluster/pods.ts';
import { isSpreadOverZones } from '../../../../lib/core/cluster/spread-over-zones.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import type { RuleOf, Watched } from '../../rule.ts';
import { type Duty, LIFECYCLE, PLACEMENT, progressOf } from '../progress/duty.ts';

/** From the launch: the run that answers the wake of the launch may collect further wakes for ten seconds. */
const NOMINATED_WITHIN_MS = 25 * SECOND_MS;
const NEEDS = [...PLACEMENT, ...LIFECYCLE, 'cluster.nominatePod', 'messages.', 'users'];

/** B66: a pod whose node is launched is nominated for it once. The kube-scheduler may clear the nomination at any time. */
export const plannedPodsAreNominated: RuleOf = (watched) => {
  const nominated = new Set<string>();
  return progressOf(watched, () => {
    const pods = pendingPods(watched);
    for (const pod of pods) nominated.add(keyOf(pod, ownNomination(pod)));
    const claims = livingClaims(watched).filter(
      ({ launch, initializedAtMs }) => launch.kind === 'launched' && initializedAtMs === undefined,
    );
    return pods.flatMap((pod): readonly Duty[] => {
      const [claim, ...others] = claims.filter((one) => one.pods.includes(podKey(pod)));
      // Of several claims for a pod, one is impossible for it.
      if (claim === undefined || others.length > 0 || isSpreadOverZones(pod) || !isProvisionable(pod)) return [];
      const node = nodeNameOf(claim);
      if (node === undefined || nominated.has(keyOf(pod, node))) return [];
      return [{ name: `pod ${podKey(pod)} is nominated for ${node}`, withinMs: NOMINATED_WITHIN_MS, needs: NEEDS }];
    });
  });
};

function keyOf({ metadata }: Pod, node: string | undefined): string {
  return `${metadata.uid} ${node}`;
}

function pendingPods({ simulation }: Watched): readonly Pod[] {
  return [...simulation().state.pods.values()].filter(
    ({ metadata, spec }) => spec.nodeName === undefined && metadata.deletionTimestamp === undefined,
  );
}

function livingClaims({ records }: Watched): readonly NodeClaimRecord[] {
  return [...records.values()].filter(
    ({ deletion, nodeLostAtMs, releasedAtMs }) => (deletion ?? nodeLostAtMs ?? releasedAtMs) === undefined,
  );
}

function nodeNameOf(record: NodeClaimRecord): string | undefined {
  return record.nodeName ?? record.expectedNodeName;
}
