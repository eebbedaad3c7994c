import { portErrorOf } from '../../ports/errors.ts';
import { failureOf } from '../act/run-notes.ts';
import type { HasSettings, InspectsInstances, ReadsCluster, ResolvesNodeClasses } from '../run/ports.ts';
import { collectGarbage } from './collect-garbage.ts';
import { endReservations } from './end-reservations.ts';
import type { ClusterWork } from './instance-work.ts';
import { replaceUnhealthy } from './replace-unhealthy.ts';
import { tagInstances } from './tag-instances.ts';

type InstanceWork = ClusterWork<ReadsCluster & InspectsInstances & ResolvesNodeClasses & HasSettings>;

const STEPS: readonly (readonly [string, (work: InstanceWork) => Promise<readonly Error[]>])[] = [
  ['replace unhealthy instances', replaceUnhealthy],
  ['end expired reservations', endReservations],
  ['find instances without a claim', collectGarbage],
  ['tag instances', tagInstances],
];

/**
 * Runs every step for the instances of the cluster, each minute. With the list of an earlier run, a step would end or tag instances that were
 * ended or tagged since. A step that fails does not stop the others. *Shape:* the failures.
 */
export async function syncInstances(work: InstanceWork): Promise<readonly Error[]> {
  if (!work.world.isListNew) return [];
  const failures: Error[] = [];
  for (const [subject, step] of STEPS) {
    try {
      failures.push(...(await step(work)));
    } catch (error) {
      failures.push(failureOf(subject, portErrorOf(error)));
    }
  }
  return failures;
}
