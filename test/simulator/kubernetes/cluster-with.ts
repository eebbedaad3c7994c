import type { Namespace, Node, Pod } from '../../../lib/apis/kubernetes.ts';
import { createPod } from '../../../lib/simulator/kubernetes/create-pod.ts';
import { kubeScheduler } from '../../../lib/simulator/kubernetes/scheduler/kube-scheduler.ts';
import { type KubernetesState, kubernetesState, writeNode } from '../../../lib/simulator/kubernetes/state.ts';
import { someManifests } from '../../builders/cluster-manifests.ts';
import { NOW_MS } from '../../builders/times.ts';

export const CLOCK = { now: () => NOW_MS };

export interface Cluster {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  /** @default none, so that namespaces have only the label with their name */
  readonly namespaces?: readonly Namespace[];
}

/** An API server with these nodes and pods, without controllers. */
export function clusterWith({ nodes, pods, namespaces = [] }: Cluster): KubernetesState {
  const state = kubernetesState(someManifests({ nodePools: [], nodeClasses: [], deployments: [], namespaces }));
  for (const node of nodes) writeNode(state, node);
  for (const pod of pods) createPod(state, pod);
  return state;
}

/** The result of one scheduler pass: `{ pod: node }`, with `none` for pods that stay pending. */
export function placesAfterPass(cluster: Cluster): Readonly<Record<string, string>> {
  const state = clusterWith(cluster);
  kubeScheduler(state, CLOCK).pass();
  return placesIn(state);
}

export function placesIn(state: KubernetesState): Readonly<Record<string, string>> {
  return Object.fromEntries([...state.pods.values()].map((pod) => [pod.metadata.name, pod.spec.nodeName ?? 'none']));
}
