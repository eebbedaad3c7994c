import { type KubernetesState, removePod } from '../state.ts';
import type { OwnedPods } from './controller-pods.ts';

/** How many finished pods stay in the cluster. A kube-controller-manager keeps 12,500; fewer keep long simulations small. */
const MAX_FINISHED = 100;

/** The pod garbage collector: it deletes the oldest finished pods beyond a limit. */
export function collectFinishedPods(state: KubernetesState, pods: OwnedPods): void {
  const finished = pods.finished();
  for (const pod of finished.slice(0, Math.max(0, finished.length - MAX_FINISHED))) removePod(state, pod);
}
