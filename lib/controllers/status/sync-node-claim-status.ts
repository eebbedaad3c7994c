import { MINUTE_MS, parseTime } from '../../apis/formats/time.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import { isHeldByOthers } from '../../core/node-claim/mirror/held-by-others.ts';
import { hasLostRecord } from '../../core/node-claim/mirror/lost-record.ts';
import { decideStandalone } from '../../core/node-claim/mirror/standalone.ts';
import { RefusedError, UnreadableError } from '../../ports/errors.ts';
import type { ClusterWork } from '../instances/instance-work.ts';
import { recordOfClaim } from '../instances/record-of-claim.ts';
import type { WritesStatus } from '../run/ports.ts';
import { syncObjects } from './sync-object-status.ts';

/** Reconciles NodeClaim objects without an active record. */
export async function syncNodeClaimStatus({
  ports,
  cluster,
  records,
  world,
}: ClusterWork<WritesStatus>): Promise<readonly Error[]> {
  const known = new Set(records.map(({ name }) => name));
  const { instances } = world;
  if (world.mirrors.kind === 'unread') return [];
  const withoutRecord = world.mirrors.value.filter(({ metadata }) => !known.has(metadata.name));
  return syncObjects(withoutRecord, async (nodeClaim: NodeClaim) => {
    const { name } = nodeClaim.metadata;
    const record = await recordOfClaim(ports.store, cluster, name);
    // The store has reported it.
    if (record instanceof UnreadableError) return;
    const nowMs = ports.clock.now();
    const isLost =
      record === undefined &&
      instances.kind !== 'unread' &&
      hasLostRecord(nodeClaim, { instances: instances.value, nowMs });
    // Only this removes the object of a released claim. An object that Kerf did not create is kept.
    if (record?.releasedAtMs !== undefined || isLost)
      return isHeldByOthers(nodeClaim) ? reportHeld(nodeClaim, nowMs) : ports.cluster.removeNodeClaim(name);
    const patch = record === undefined ? decideStandalone(nodeClaim, nowMs) : undefined;
    if (patch !== undefined) await ports.cluster.patchNodeClaim(nodeClaim, patch);
  });
}

/** The finalizer of another program may take some time. */
const HELD_MS = 10 * MINUTE_MS;

/** *Errors:* the finalizers that hold the object; the report has them once an hour. */
function reportHeld({ metadata: { deletionTimestamp = '', finalizers = [] } }: NodeClaim, nowMs: number): void {
  if (nowMs < parseTime(deletionTimestamp) + HELD_MS) return;
  throw new RefusedError(
    `it has no instance and was deleted at ${deletionTimestamp}; it stays until other programs remove their finalizers: ${finalizers.join(', ')}`,
  );
}
