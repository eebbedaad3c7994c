import { eventsOf } from '../../core/events/events-of.ts';
import type { Due } from '../../core/model/decision.ts';
import { decisionOn } from '../../core/model/decision-id.ts';
import { decideRepairs } from '../../core/node-claim/repair/repair.ts';
import { repairPolicies } from '../../core/node-claim/repair/repair-policies.ts';
import { announceEvents } from '../run/announce.ts';
import { applyVerdict } from '../run/apply-verdict.ts';
import { type EachClaim, eachClaim } from '../run/each-claim.ts';
import type { HasSettings } from '../run/ports.ts';
import type { ClusterWork } from './instance-work.ts';

/** The number of nodes that get an event of a refusal in one run, because a refusal may affect every node of a large cluster. */
const MAX_EVENTS = 10;

/**
 * Unhealthy nodes → deleted claims, without a drain (D29, D30), if the cluster has the feature gate. *Shape:* the failures, and
 * when the tolerance of an unhealthy node ends. *Cost:* no reads; while repair is refused, at most ten events a minute.
 */
export async function repairNodes(work: ClusterWork<HasSettings>): Promise<EachClaim> {
  const { ports, world, records } = work;
  const { featureGates, repairAfterMs } = ports.settings;
  if (!featureGates.nodeRepair) return { due: [], failures: [] };
  const nowMs = ports.clock.now();
  const { nodes, shifted } = world;
  const repairs = decideRepairs({ records, nodes, shifted, policies: repairPolicies(repairAfterMs) }, nowMs);
  const named = repairs.map((repair) => ({ name: repair.record.name, ...repair }));
  const { failures } = await eachClaim(named, nowMs, async ({ record, node, actions, blocked }) => {
    const { name, version } = record;
    await applyVerdict(work, { name, version, atMs: nowMs, seen: { nodes: [node] } }, { actions, blocked });
    return [];
  });
  const due: readonly Due[] = repairs.flatMap((repair) => repair.due);
  return { due, failures: [...failures, ...(await announceRefusals(work, repairs, nowMs))] };
}

/** F13: a refusal is shown on its node. A verdict without an action is not announced otherwise. */
async function announceRefusals(
  { ports, controller, cluster }: ClusterWork,
  repairs: ReturnType<typeof decideRepairs>,
  nowMs: number,
): Promise<readonly Error[]> {
  const blocked = repairs.flatMap((repair) => repair.blocked).slice(0, MAX_EVENTS);
  if (blocked.length === 0) return [];
  const decision = decisionOn({ name: 'repair' }, { controller, cluster, atMs: nowMs }, { actions: [], blocked });
  return announceEvents(ports, decision, eventsOf(decision));
}
