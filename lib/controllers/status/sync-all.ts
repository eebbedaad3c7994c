import { SECOND_MS } from '../../apis/formats/time.ts';
import { UnreachableError } from '../../ports/errors.ts';
import { failureOf, noteFailure, notReported } from '../act/run-notes.ts';
import { syncWebhook } from '../install/sync-webhook.ts';
import type { ClusterWork } from '../instances/instance-work.ts';
import { requestCatalogue } from '../instances/request-catalogue.ts';
import { syncInstances } from '../instances/sync-instances.ts';
import type { LaunchContextPorts } from '../observe/observe-launch-context.ts';
import type { CoalescedWake } from '../run/coalesce-wakes.ts';
import type {
  HasSettings,
  InspectsInstances,
  ManagesNodeClassResources,
  MayHaveWebhook,
  ReadsCluster,
  WritesStatus,
} from '../run/ports.ts';
import { atMost } from '../wait/waits.ts';
import { syncNodeClaimStatus } from './sync-node-claim-status.ts';
import { syncNodeClassStatus } from './sync-node-class-status.ts';
import { syncNodePoolStatus } from './sync-node-pool-status.ts';
import { syncOverlayStatus } from './sync-overlay-status.ts';

/** What the steps need beside what applying a verdict needs. */
export type SyncPorts = LaunchContextPorts &
  ReadsCluster &
  WritesStatus &
  InspectsInstances &
  ManagesNodeClassResources &
  HasSettings &
  MayHaveWebhook;

type Sync = readonly [string, (work: ClusterWork<SyncPorts>) => Promise<readonly Error[]>];

/** Before the others, because it reads a large list, and the memory of the function is limited. */
const SYNC_CLAIMS: Sync = ['sync NodeClaims', syncNodeClaimStatus];

/** At the same time, because a function that waits is paid for. */
const SYNCS: readonly Sync[] = [
  ['sync instances', syncInstances],
  ['request the catalogue', requestCatalogue],
  ['sync EC2NodeClasses', syncNodeClassStatus],
  ['sync NodePools', syncNodePoolStatus],
  ['sync NodeOverlays', syncOverlayStatus],
];

/** Promise 7: a call that hangs, for example of IAM, must not use the whole time of the function. */
const MAX_MS = 20 * SECOND_MS;

/**
 * What each tick does beside the claims. Each step is repeated by the next tick, so a failure does not stop the others, and a step that
 * takes 20 seconds is not awaited longer. The failures are noted. *Errors:* a conflict.
 */
export async function syncAll(work: ClusterWork<SyncPorts>, wake: CoalescedWake): Promise<void> {
  const { ports, notes } = work;
  const note = async ([subject, sync]: Sync): Promise<unknown> =>
    noteFailure(work, subject, async () => {
      const waited = await atMost(ports, { what: subject, ms: MAX_MS }, sync(work));
      const late = (): Error => failureOf(subject, new UnreachableError(`not done within ${MAX_MS} ms`));
      notes.failures.push(...(waited.kind === 'ended' ? notReported(work, waited.result) : [late()]));
    });
  await note(SYNC_CLAIMS);
  const webhook: Sync = ['sync the webhook', async () => syncWebhook(ports, wake)];
  await Promise.all([...SYNCS, webhook].map(note));
}
