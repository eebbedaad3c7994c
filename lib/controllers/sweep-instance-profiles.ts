import { MINUTE_MS } from '../apis/time.ts';
import { PortError } from '../ports/errors.ts';
import type { Tending } from './tending.ts';

/** C67: IAM has little patience for all accounts together, and what is unused is kept for an hour anyway. */
const EVERY_MINUTES = 30;

/** Instance profiles that no EC2NodeClass names any more are let go, each half hour. *Shape:* the failures. */
export async function sweepInstanceProfiles({ ports, cluster, world }: Tending): Promise<readonly Error[]> {
  if (Math.floor(ports.clock.now() / MINUTE_MS) % EVERY_MINUTES !== 0) return [];
  try {
    await ports.cloud.removeUnusedInstanceProfiles(cluster, world.nodeClasses);
    return [];
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return [error];
  }
}
