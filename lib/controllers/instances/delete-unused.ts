import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { PortError } from '../../ports/errors.ts';
import type { ManagesNodeClassResources } from '../run/ports.ts';
import type { ClusterWork } from './instance-work.ts';

/**
 * Deletes instance profiles that no EC2NodeClass refers to (C67), and old launch templates. The port limits how often AWS is
 * called. *Shape:* the failures.
 */
export async function deleteUnused({
  ports,
  cluster,
  nodeClasses,
}: ClusterWork<ManagesNodeClassResources> & {
  readonly nodeClasses: readonly EC2NodeClass[];
}): Promise<readonly Error[]> {
  const deletions = [
    ports.cloud.removeUnusedInstanceProfiles(cluster, nodeClasses),
    ports.cloud.removeOldLaunchTemplates(cluster),
  ];
  return (await Promise.allSettled(deletions)).flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [];
    const reason: unknown = outcome.reason;
    if (!(reason instanceof PortError)) throw reason;
    return [reason];
  });
}
