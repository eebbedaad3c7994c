import type { Controller, Decision, Verdict } from '../core/action.ts';
import { isProvisionable } from '../core/cluster/pods.ts';
import type { ClusterSnapshot } from '../core/cluster/snapshot.ts';
import { clusterDecisionId, shadowDecisionId } from '../core/model/decision-id.ts';
import { instanceOf } from '../core/node-claim/record.ts';
import { announce } from './announce.ts';
import { finishDecision } from './open-decisions.ts';
import type { ControllerPorts, RunReport } from './ports.ts';
import { recordShadow } from './shadow.ts';

/** A pure decision on a whole cluster. */
export type ClusterDecide = (
  snapshot: ClusterSnapshot,
  context: { readonly decisionId: string; readonly nowMs: number },
) => Verdict;

/**
 * Decide, record, act, for one snapshot. The decision stands only if no other was recorded since the snapshot's epoch
 * (EpochMovedError: observe again), and stays open until all of it is carried out.
 */
export async function decideForCluster(
  ports: ControllerPorts,
  snapshot: ClusterSnapshot,
  { controller, decide }: { readonly controller: Controller; readonly decide: ClusterDecide },
): Promise<RunReport> {
  const { cluster, epoch } = snapshot;
  const nowMs = ports.clock.now();
  const { shadow } = ports.settings;
  const decisionId = shadow ? shadowDecisionId(controller, snapshot) : clusterDecisionId(controller, snapshot, nowMs);
  const verdict = decide(snapshot, { decisionId, nowMs });
  const { actions, blocked, due } = verdict;
  const made: Decision = { id: decisionId, cluster, controller, atMs: nowMs, actions, blocked };
  const decision: Decision = shadow ? { ...made, shadow } : made;
  if (actions.length > 0 && !shadow) {
    await ports.store.recordDecision(decision, epoch, ports.lease);
    await finishDecision(ports, decision);
  }
  const quiet = actions.length === 0 && blocked.length === 0;
  const { pods, nodes } = snapshot;
  const nodePools = snapshot.nodePools.map(({ nodePool }) => nodePool);
  const tell = async () =>
    shadow ? recordShadow(ports, decision) : announce(ports, decision, { pods, nodes, nodePools });
  const failures = quiet ? [] : await tell();
  return { controller, cluster, decisions: [decision], due, gauges: gaugesOf(snapshot), failures };
}

function gaugesOf(snapshot: ClusterSnapshot): RunReport['gauges'] {
  const prices = snapshot.nodeClaims.map((record) => instanceOf(record)?.priceUsdPerHour ?? 0);
  return {
    PendingPods: snapshot.pods.filter(isProvisionable).length,
    Nodes: snapshot.nodes.length,
    NodeClaims: snapshot.nodeClaims.length,
    HourlyCostUsd: prices.reduce((sum, price) => sum + price, 0),
  };
}
