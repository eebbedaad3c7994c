import type { Pod } from '../../apis/kubernetes.ts';

/** The annotations of the virtual pods of CapacityBuffers. */
export const FAKE_POD = 'karpenter.sh/capacity-buffer-fake-pod';
export const BUFFER_NAME = 'karpenter.sh/capacity-buffer-name';
export const BUFFER_NAMESPACE = 'karpenter.sh/capacity-buffer-namespace';

/** Whether the pod is a virtual one of a CapacityBuffer (B65). It gets no events and no nomination, and real pods have priority. */
export function isBufferPod(pod: Pod): boolean {
  return pod.metadata.annotations?.[FAKE_POD] === 'true';
}
