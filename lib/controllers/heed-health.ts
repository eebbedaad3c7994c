import type { Decision } from '../core/action.ts';
import { decideHealth } from '../core/node-claim/instance-health.ts';
import { instanceOf } from '../core/node-claim/record.ts';
import { announce } from './announce.ts';
import { carryOut } from './carry-out.ts';
import { eachClaim } from './each-claim.ts';
import type { Tending } from './tending.ts';

/** What EC2 says is wrong with instances → their claims are deleted, in peace or at once (C82). */
export async function heedHealth({ ports, cluster, records, decisions }: Tending): Promise<readonly Error[]> {
  const byInstance = new Map(
    records.flatMap((record) => (instanceOf(record) ? [[instanceOf(record)?.id ?? '', record]] : [])),
  );
  const ailing = await ports.cloud.describeInstanceHealth([...byInstance.keys()]);
  const untold: Error[] = [];
  const nowMs = ports.clock.now();
  const named = ailing.map((health) => ({ name: byInstance.get(health.id)?.name ?? '', health }));
  const { failures } = await eachClaim(named, nowMs, async ({ name, health }) => {
    const record = await ports.store.readNodeClaim(cluster, name);
    const action = record && record.releasedAtMs === undefined ? decideHealth(record, health, nowMs) : undefined;
    if (record === undefined || action === undefined) return [];
    const id = `${name}-v${record.version}-health`;
    const decision: Decision = { id, cluster, controller: 'lifecycle', atMs: nowMs, actions: [action], blocked: [] };
    await carryOut(ports, decision);
    decisions.push(decision);
    untold.push(...(await announce(ports, decision)));
    return [];
  });
  return [...failures, ...untold];
}
