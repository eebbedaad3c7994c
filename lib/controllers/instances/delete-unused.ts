import { PortError } from '../../ports/errors.ts';
import type { ManagesNodeClassResources } from '../run/ports.ts';
import type { ClusterWork } from './instance-work.ts';

/**
 * What launches need and nobody asks back: instance profiles that no EC2NodeClass names any more (C67), launch templates that
 * are old. How often AWS is asked is the port's to say. *Shape:* the failures.
 */
export async function deleteUnused({
  ports,
  cluster,
  world,
}: ClusterWork<ManagesNodeClassResources>): Promise<readonly Error[]> {
  const sweeps = [
    ports.cloud.removeUnusedInstanceProfiles(cluster, world.nodeClasses),
    ports.cloud.removeOldLaunchTemplates(cluster),
  ];
  return (await Promise.allSettled(sweeps)).flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [];
    const reason: unknown = outcome.reason;
    if (!(reason instanceof PortError)) throw reason;
    return [reason];
  });
}
