import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { isReason } from '../model/reasons.ts';
import { type Complaint, whyNotValid } from './node-class-validation.ts';

/**
 * C37: why nothing is launched of a NodeClass, by its own status; undefined where its status has no objection.
 *
 * *Shape:* the class's own reason and message. A class that has no status yet is judged by what it says itself, and
 * whoever wants to launch looks up the rest, so that a new cluster does not wait for the status.
 */
export function whyNotUsable(nodeClass: EC2NodeClass): Complaint | undefined {
  const { metadata, status } = nodeClass;
  const { name, generation = 0, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) {
    return {
      reason: 'NodeClassTerminating',
      message: `EC2NodeClass ${name} is being deleted: nothing is launched of it`,
    };
  }
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
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
      message: `EC2NodeClass ${name} was changed: generation ${generation} is not looked at yet, its status is of generation ${observedGeneration}`,
    };
  }
  if (ready.status === 'True') return undefined;
  // Another program may have written the status, with words of its own.
  return unready(
    isReason(reason) ? { reason, message } : { reason: 'NodeClassNotReady', message: `${reason}: ${message}` },
  );
}
