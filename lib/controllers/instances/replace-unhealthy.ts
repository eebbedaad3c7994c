import { instanceOf } from '../../core/model/node-claim-record.ts';
import { decideHealth } from '../../core/node-claim/instance-health.ts';
import { applyVerdict } from '../run/apply-verdict.ts';
import { eachClaim } from '../run/each-claim.ts';
import type { InspectsInstances } from '../run/ports.ts';
import type { ClusterWork } from './instance-work.ts';

/** What EC2 says is wrong with instances → their claims are deleted, in peace or at once (C82). */
export async function replaceUnhealthy(tending: ClusterWork<InspectsInstances>): Promise<readonly Error[]> {
  const { ports, cluster, records } = tending;
  const byInstance = new Map(
    records.flatMap((record) => (instanceOf(record) ? [[instanceOf(record)?.id ?? '', record]] : [])),
  );
  const ailing = await ports.cloud.describeInstanceHealth([...byInstance.keys()]);
  const nowMs = ports.clock.now();
  const named = ailing.map((health) => ({ name: byInstance.get(health.id)?.name ?? '', health }));
  const { failures } = await eachClaim(named, nowMs, async ({ name, health }) => {
    const record = await ports.store.readNodeClaim(cluster, name);
    const action = record && record.releasedAtMs === undefined ? decideHealth(record, health, nowMs) : undefined;
    if (record === undefined || action === undefined) return [];
    await applyVerdict(tending, { name, version: record.version, atMs: nowMs }, { actions: [action], blocked: [] });
    return [];
  });
  return failures;
}
