import { timeIn } from '../../apis/formats/time.ts';
import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { isReschedulable } from '../cluster/pods.ts';
import { stateNodes } from '../cluster/state-node.ts';
import { compareText } from '../compare-text.ts';
import { MAX_NAMES } from '../decisions/decision-record.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { instanceOf } from '../model/node-claim-record.ts';

/** An instance of the cluster, and the pods that waited when its NodeClaim was created and run on it. */
export interface SeenLaunch {
  readonly nodeClaim: string;
  readonly nodePool: string;
  readonly createdAtMs: number;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly usdPerHour: number;
  /** As `namespace/name`, at most MAX_NAMES. Empty if it replaces a node, or if its pods have ended. */
  readonly pods: readonly string[];
}

/**
 * The instances whose NodeClaims were created from a time on. A pod that is younger than the NodeClaim came to room that was left.
 * *Cost:* O(nodes + pods).
 */
export function launchesIn(
  snapshot: Pick<ClusterSnapshot, 'nodes' | 'nodeClaims' | 'pods' | 'commands'>,
  sinceMs: number,
): readonly SeenLaunch[] {
  return stateNodes(snapshot).flatMap(({ nodeClaim, pods }): readonly SeenLaunch[] => {
    const instance = nodeClaim && instanceOf(nodeClaim);
    if (nodeClaim === undefined || instance === undefined || nodeClaim.createdAtMs < sinceMs) return [];
    const { name, nodePool, createdAtMs } = nodeClaim;
    const { instanceType, zone, capacityType, priceUsdPerHour: usdPerHour } = instance;
    const waited = pods.filter((pod) => isReschedulable(pod) && createdMs(pod) <= createdAtMs).map(podKey);
    return [
      {
        nodeClaim: name,
        nodePool,
        createdAtMs,
        instanceType,
        zone,
        capacityType,
        usdPerHour,
        pods: waited.toSorted(compareText).slice(0, MAX_NAMES),
      },
    ];
  });
}

/** A pod of a file may have no time. */
function createdMs({ metadata }: Pod): number {
  return timeIn(metadata.creationTimestamp) ?? Number.POSITIVE_INFINITY;
}

/** Both, by NodeClaim: a pod that has ended since a look is still one that the instance was launched for. */
export function mergedLaunches(before: readonly SeenLaunch[], now: readonly SeenLaunch[]): readonly SeenLaunch[] {
  const known = new Map(before.map((one) => [one.nodeClaim, one]));
  for (const one of now) {
    const pods = new Set([...(known.get(one.nodeClaim)?.pods ?? []), ...one.pods]);
    known.set(one.nodeClaim, { ...one, pods: [...pods].toSorted(compareText).slice(0, MAX_NAMES) });
  }
  return [...known.values()];
}
