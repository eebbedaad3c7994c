import { POD_ANNOTATIONS } from '../../../core/cluster/pod-annotations.ts';

/** No value that has an effect is longer. */
const MAX_VALUE_BYTES = 512;

/** Whether an annotation of a pod is kept when the pod is read. */
export function isKeptPodAnnotation(key: string, valueBytes: number): boolean {
  return POD_ANNOTATIONS.has(key) && valueBytes <= MAX_VALUE_BYTES;
}
