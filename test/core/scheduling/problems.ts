import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { stateNodes } from '../../../lib/core/cluster/state-node.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { clusterProblem } from '../../../lib/core/provisioning/schedule-pods.ts';
import type { Schedule } from '../../../lib/core/scheduling/schedule.ts';
import { solve } from '../../../lib/core/scheduling/solve.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

/** Places the pods in the given cluster. */
export function place(pods: readonly Pod[], over: Partial<ClusterSnapshot> = {}): Schedule {
  const snapshot = aSnapshot(over);
  return solve({ ...clusterProblem(snapshot, stateNodes(snapshot), NOW_MS), pods });
}

/** The names of the pods of each new claim. */
export function podsOfClaims({ newClaims }: Schedule): readonly (readonly string[])[] {
  return newClaims.map((claim) => claim.pods.map((pod) => pod.metadata.name));
}

/** The pools of the new claims. */
export function poolsOf({ newClaims }: Schedule): readonly string[] {
  return newClaims.map((claim) => claim.template.nodePool.metadata.name);
}

/** The remaining instance types of each new claim. */
export function typesOf({ newClaims }: Schedule): readonly (readonly string[])[] {
  return newClaims.map((claim) => claim.instanceTypes.map((type) => type.name));
}

/** The remaining values of a label for each new claim. */
export function valuesOf({ newClaims }: Schedule, key: string): readonly (readonly string[])[] {
  return newClaims.map((claim) => [...(claim.requirements.get(key)?.values ?? [])].toSorted());
}

/** The name of the existing node or claim of each placed pod. */
export function placesOf({ existing }: Schedule): Readonly<Record<string, string>> {
  return Object.fromEntries(
    existing.flatMap(({ stateNode, pods }) => pods.map((pod) => [pod.metadata.name, stateNode.name])),
  );
}

/** The reasons of each unschedulable pod. */
export function refusalsOf({ unplaced }: Schedule): readonly (readonly string[])[] {
  return unplaced.map(({ refusals }) => refusals.map(({ refusal }) => refusal.reason));
}
