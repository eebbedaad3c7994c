import type { Due } from '../../core/model/decision.ts';
import { decideRepairs } from '../../core/node-claim/repair/repair.ts';
import { repairPolicies } from '../../core/node-claim/repair/repair-policies.ts';
import { announceRefusals } from '../run/announce-refusals.ts';
import { applyVerdict } from '../run/apply-verdict.ts';
import { type EachClaim, eachClaim } from '../run/each-claim.ts';
import type { HasSettings } from '../run/ports.ts';
import type { ClusterWork } from './instance-work.ts';

/**
 * Unhealthy nodes → deleted claims, without a drain (D29, D30), if the cluster has the feature gate. *Shape:* the failures, and
 * when the tolerance of an unhealthy node ends. *Cost:* no reads; while repair is refused, at most ten events a minute.
 */
export async function repairNodes(work: ClusterWork<HasSettings>): Promise<EachClaim> {
  const { ports, world, records } = work;
  const { featureGates, repairAfterMs } = ports.settings;
  if (!featureGates.nodeRepair) return NOTHING;
  const nowMs = ports.clock.now();
  const { nodes, shifted } = world;
  if (nodes.kind === 'unread' || shifted.kind === 'unread') return NOTHING;
  const seen = { records, nodes: nodes.value, shifted: shifted.value };
  const repairs = decideRepairs({ ...seen, policies: repairPolicies(repairAfterMs) }, nowMs);
  const named = repairs.map((repair) => ({ name: repair.record.name, ...repair }));
  const { failures, hasConflict } = await eachClaim(named, ports, async ({ record, node, actions, blocked }) => {
    const { name, version } = record;
    await applyVerdict(work, { name, version, atMs: nowMs, seen: { nodes: [node] } }, { actions, blocked });
    return [];
  });
  const due: readonly Due[] = repairs.flatMap((repair) => repair.due);
  // F13: NodeRepairBlocked.
  const refusals = repairs.flatMap((repair) => repair.blocked);
  await announceRefusals(work, { name: 'repair', atMs: nowMs }, refusals);
  return { due, failures, hasConflict };
}

const NOTHING: EachClaim = { due: [], failures: [], hasConflict: false };
