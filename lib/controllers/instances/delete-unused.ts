import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { PortError } from '../../ports/errors.ts';
import { failureOf } from '../act/run-notes.ts';
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
  const failures = await Promise.all([
    failuresOf('delete unused instance profiles', ports.cloud.removeUnusedInstanceProfiles(cluster, nodeClasses)),
    failuresOf('delete unused launch templates', ports.cloud.removeOldLaunchTemplates(cluster)),
  ]);
  return failures.flat();
}

async function failuresOf(subject: string, deletion: Promise<void>): Promise<readonly Error[]> {
  try {
    await deletion;
    return [];
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return [failureOf(subject, error)];
  }
}
