import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';

/**
 * C37: why nothing is launched of a NodeClass, by its own status; undefined where its status has no objection.
 *
 * *Shape:* the class's own reason and message. A class that has no status yet has none to go by: whoever wants to launch
 * looks itself, so that a new cluster does not wait for the status.
 */
export function whyNotUsable({
  metadata,
  status,
}: EC2NodeClass): { readonly reason: string; readonly message: string } | undefined {
  const { name, generation = 0, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) {
    return {
      reason: 'NodeClassTerminating',
      message: `EC2NodeClass ${name} is being deleted: nothing is launched of it`,
    };
  }
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined) return undefined;
  const { observedGeneration = generation, reason = 'NodeClassNotReady', message = '' } = ready;
  if (observedGeneration < generation) {
    return {
      reason: 'NodeClassNotReady',
      message: `EC2NodeClass ${name} was changed: generation ${generation} is not looked at yet, its status is of generation ${observedGeneration}`,
    };
  }
  return ready.status === 'True' ? undefined : { reason, message: `EC2NodeClass ${name} is not ready: ${message}` };
}

/** C37: a claim of a class that is gone, or going, has nothing to wait for. */
export function isGone(reason: string): boolean {
  return reason === 'NodeClassTerminating' || reason === 'NodeClassNotFound';
}
