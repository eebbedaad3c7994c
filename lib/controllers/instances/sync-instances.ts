import { PortError } from '../../ports/errors.ts';
import type { InspectsInstances, ReadsCluster, ResolvesNodeClasses } from '../run/ports.ts';
import { collectGarbage } from './collect-garbage.ts';
import { endReservations } from './end-reservations.ts';
import type { ClusterWork } from './instance-work.ts';
import { replaceUnhealthy } from './replace-unhealthy.ts';
import { tagInstances } from './tag-instances.ts';

type InstanceWork = ClusterWork<ReadsCluster & InspectsInstances & ResolvesNodeClasses>;

const STEPS: readonly ((tending: InstanceWork) => Promise<readonly Error[]>)[] = [
  replaceUnhealthy,
  endReservations,
  collectGarbage,
  tagInstances,
];

/** Each minute, for instances that run: one duty that fails keeps none of the others waiting. *Shape:* the failures. */
export async function syncInstances(tending: InstanceWork): Promise<readonly Error[]> {
  const failures: Error[] = [];
  for (const step of STEPS) {
    try {
      failures.push(...(await step(tending)));
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      failures.push(error);
    }
  }
  return failures;
}
