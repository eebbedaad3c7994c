import { type Pod, podKey } from '../../../apis/kubernetes.ts';
import { claimNames } from '../../../core/cluster/pod-volumes.ts';
import { isTerminal } from '../../../core/cluster/pods.ts';
import type { KubernetesState } from '../state.ts';

/** Follows the pods with PersistentVolumeClaims that have not ended. *Shape:* a function that returns them, in the order of their creation. */
export function podsWithClaims(state: KubernetesState): () => Iterable<Pod> {
  const found = new Map<string, Pod>();
  const changes = state.podIndex.follow();
  return () => {
    const { pods, removed } = changes();
    for (const key of removed) found.delete(key);
    for (const pod of pods) {
      if (isTerminal(pod) || claimNames(pod).length === 0) found.delete(podKey(pod));
      else found.set(podKey(pod), pod);
    }
    return found.values();
  };
}
