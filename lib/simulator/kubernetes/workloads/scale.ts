import type { ScaledKind, WorkloadReference } from '../../../apis/workloads.ts';
import { changed } from '../objects.ts';
import type { KubernetesState } from '../state.ts';

type Scalable = KubernetesState[(typeof MAPS)[ScaledKind]];

const MAPS = { Deployment: 'deployments', ReplicaSet: 'replicaSets', StatefulSet: 'statefulSets' } as const;

/** The workloads of a kind, by `namespace/name`. */
export function scalable(state: KubernetesState, kind: ScaledKind): Scalable {
  return state[MAPS[kind]];
}

/** Sets the replicas of a workload. *Shape:* the number before; undefined if the workload does not exist. */
export function scaleWorkload(
  state: KubernetesState,
  { kind, key }: WorkloadReference,
  replicas: number,
): number | undefined {
  const workloads = scalable(state, kind);
  const found = workloads.get(key);
  if (found === undefined) return undefined;
  workloads.set(key, { ...found, spec: { ...found.spec, replicas } });
  changed(state);
  return found.spec.replicas ?? 1;
}
