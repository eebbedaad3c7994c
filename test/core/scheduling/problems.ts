import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { stateNodes } from '../../../lib/core/cluster/state-node.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import type { Schedule } from '../../../lib/core/scheduling/schedule.ts';
import { solve } from '../../../lib/core/scheduling/solve.ts';
import { aSnapshot } from '../../builders/snapshots.ts';

/** Solves for the pods in a cluster that is as told. */
export function place(pods: readonly Pod[], over: Partial<ClusterSnapshot> = {}): Schedule {
  const snapshot = aSnapshot(over);
  const { nodePools, daemonSets, storage, namespaces, options } = snapshot;
  return solve({
    pods,
    stateNodes: stateNodes(snapshot),
    nodePools,
    daemonSets,
    ...(storage === undefined ? {} : { storage }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(options === undefined ? {} : { options }),
  });
}

/** The new claims, each as the names of its pods. */
export function podsOfClaims({ newClaims }: Schedule): readonly (readonly string[])[] {
  return newClaims.map((claim) => claim.pods.map((pod) => pod.metadata.name));
}

/** The pools of the new claims. */
export function poolsOf({ newClaims }: Schedule): readonly string[] {
  return newClaims.map((claim) => claim.template.nodePool.metadata.name);
}

/** The instance types that are left to each new claim. */
export function typesOf({ newClaims }: Schedule): readonly (readonly string[])[] {
  return newClaims.map((claim) => claim.instanceTypes.map((type) => type.name));
}

/** The values that are left to each new claim for a label. */
export function valuesOf({ newClaims }: Schedule, key: string): readonly (readonly string[])[] {
  return newClaims.map((claim) => [...(claim.requirements.get(key)?.values ?? [])].toSorted());
}

/** Where pods went that found room: the name of the node or claim by pod. */
export function placesOf({ existing }: Schedule): Readonly<Record<string, string>> {
  return Object.fromEntries(
    existing.flatMap(({ stateNode, pods }) => pods.map((pod) => [pod.metadata.name, stateNode.name])),
  );
}

/** The reasons that each pod without a place was given. */
export function refusalsOf({ unplaced }: Schedule): readonly (readonly string[])[] {
  return unplaced.map(({ refusals }) => refusals.map(({ refusal }) => refusal.reason));
}
