import { PortError } from '../ports/errors.ts';
import type { Tending } from './tending.ts';

/** C67: instance profiles that no EC2NodeClass names any more are let go. How often IAM is asked is its port's to say. *Shape:* the failures. */
export async function sweepInstanceProfiles({ ports, cluster, world }: Tending): Promise<readonly Error[]> {
  try {
    await ports.cloud.removeUnusedInstanceProfiles(cluster, world.nodeClasses);
    return [];
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return [error];
  }
}
