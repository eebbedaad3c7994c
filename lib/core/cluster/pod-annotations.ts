import { DO_NOT_DISRUPT, POD_DELETION_COST } from '../../apis/labels.ts';
import { SIMULATED_DURATION } from '../../apis/workloads.ts';
import { BUFFER_NAME, BUFFER_NAMESPACE, FAKE_POD } from './buffer-pod.ts';

/** The annotations of pods that the code reads. Others are not kept: a pod can have 256 KiB of them, and a namespace thousands of pods. */
export const POD_ANNOTATIONS: ReadonlySet<string> = new Set([
  DO_NOT_DISRUPT,
  POD_DELETION_COST,
  FAKE_POD,
  BUFFER_NAME,
  BUFFER_NAMESPACE,
  SIMULATED_DURATION,
]);
