import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { timeIn } from '../../../apis/formats/time.ts';
import type { Condition } from '../../../apis/kubernetes.ts';
import { isReason } from '../../model/reasons.ts';
import { type Complaint, whyNotValid } from './node-class-validation.ts';

/**
 * C37: returns why Kerf does not launch with a NodeClass, from its status; undefined where the status allows launches.
 *
 * *Shape:* the reason and message of the class. A class without a status is checked by its spec, and the launch resolves
 * its selectors, so a new cluster does not wait for the status.
 */
export function whyNotUsable(nodeClass: EC2NodeClass): Complaint | undefined {
  const { metadata, status } = nodeClass;
  const { name, generation = 0, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) {
    return {
      reason: 'NodeClassTerminating',
      message: `EC2NodeClass ${name} is being deleted and cannot be used for launches`,
    };
  }
  const ready = readyIn(status);
  const unready = (why: Complaint): Complaint => ({
    ...why,
    message: `EC2NodeClass ${name} is not ready: ${why.message}`,
  });
  if (ready === undefined) {
    const invalid = whyNotValid(nodeClass);
    return invalid && unready(invalid);
  }
  const { observedGeneration = generation, reason = 'NodeClassNotReady', message = '' } = ready;
  if (observedGeneration < generation) {
    return {
      reason: 'NodeClassNotReady',
      message: `EC2NodeClass ${name} was changed: its status is for generation ${observedGeneration}, not yet for generation ${generation}`,
    };
  }
  if (ready.status === 'True') return undefined;
  // Another program may have written the status, with words of its own.
  return unready(
    isReason(reason) ? { reason, message } : { reason: 'NodeClassNotReady', message: `${reason}: ${message}` },
  );
}

/**
 * D8: since when a NodeClass that `whyNotUsable` refuses is unready, by its status. *Shape:* undefined if it is not known to be: a status for
 * an earlier generation says nothing about the present one. 0 without a status.
 */
export function unreadySinceMs({ metadata: { generation = 0 }, status }: EC2NodeClass): number | undefined {
  const ready = readyIn(status);
  const isUnready = ready?.status !== 'True' && (ready?.observedGeneration ?? generation) >= generation;
  return isUnready ? (timeIn(ready?.lastTransitionTime) ?? 0) : undefined;
}

function readyIn(status: EC2NodeClass['status']): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}
