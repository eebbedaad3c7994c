import { instanceOf } from '../../core/model/node-claim-record.ts';
import { decideHealth } from '../../core/node-claim/instance-health.ts';
import { applyVerdict } from '../run/apply-verdict.ts';
import { eachClaim } from '../run/each-claim.ts';
import type { InspectsInstances } from '../run/ports.ts';
import type { ClusterWork } from './instance-work.ts';

/** Unhealthy instances and scheduled events of EC2 → deleted claims, with or without a drain (C82). */
export async function replaceUnhealthy(work: ClusterWork<InspectsInstances>): Promise<readonly Error[]> {
  const { ports, cluster, records } = work;
  const byInstance = new Map(
    records.flatMap((record) => (instanceOf(record) ? [[instanceOf(record)?.id ?? '', record]] : [])),
  );
  const unhealthy = await ports.cloud.describeInstanceHealth([...byInstance.keys()]);
  const nowMs = ports.clock.now();
  const named = unhealthy.map((health) => ({ name: byInstance.get(health.id)?.name ?? '', health }));
  const { failures } = await eachClaim(named, ports, async ({ name, health }) => {
    const record = await ports.store.readNodeClaim(cluster, name);
    const action = record && record.releasedAtMs === undefined ? decideHealth(record, health, nowMs) : undefined;
    if (record === undefined || action === undefined) return [];
    await applyVerdict(work, { name, version: record.version, atMs: nowMs }, { actions: [action], blocked: [] });
    return [];
  });
  return failures;
}
