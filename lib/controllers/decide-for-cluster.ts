import { SECOND_MS } from '../apis/time.ts';
import { type Controller, type Decision, settling, type Verdict } from '../core/action.ts';
import { isProvisionable } from '../core/cluster/pods.ts';
import type { ClusterSnapshot } from '../core/cluster/snapshot.ts';
import { clusterDecisionId, shadowDecisionId } from '../core/model/decision-id.ts';
import { instanceOf } from '../core/node-claim/record.ts';
import { decisionParts } from '../core/provisioning/decision-parts.ts';
import { EpochMovedError } from '../ports/errors.ts';
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
 * (EpochMovedError: observe again), and stays open until all of it is carried out. A large one is recorded in parts.
 */
export async function decideForCluster(
  ports: ControllerPorts,
  snapshot: ClusterSnapshot,
  { controller, decide }: { readonly controller: Controller; readonly decide: ClusterDecide },
): Promise<RunReport> {
  const { cluster } = snapshot;
  const nowMs = ports.clock.now();
  const { shadow } = ports.settings;
  const decisionId = shadow ? shadowDecisionId(controller, snapshot) : clusterDecisionId(controller, snapshot, nowMs);
  const verdict = decide(snapshot, { decisionId, nowMs });
  const { actions, blocked, onExistingNodes, due } = verdict;
  const decision: Decision = {
    id: decisionId,
    cluster,
    controller,
    atMs: nowMs,
    actions,
    blocked,
    ...(onExistingNodes === undefined ? {} : { onExistingNodes }),
    ...(shadow ? { shadow: true as const } : {}),
  };
  const parts = decisionParts(decision);
  const { done, failures } = await recordParts(ports, parts, snapshot);
  // What is left is decided again, on a snapshot that shows what the other run decided.
  const again = done.length < parts.length ? [settling(nowMs + SECOND_MS)] : [];
  return { controller, cluster, decisions: done, due: [...due, ...again], gauges: gaugesOf(snapshot), failures };
}

/**
 * Records, carries out and publishes the parts in their order, each in a transaction of its own. *Shape:* the parts that
 * stand: where another decision comes between two of them, it and the parts behind it are left out.
 * *Errors:* EpochMovedError where it came before the first.
 */
async function recordParts(
  ports: ControllerPorts,
  parts: readonly Decision[],
  snapshot: ClusterSnapshot,
): Promise<{ readonly done: readonly Decision[]; readonly failures: readonly Error[] }> {
  const done: Decision[] = [];
  const failures: Error[] = [];
  for (const part of parts) {
    if (part.actions.length > 0 && part.shadow !== true) {
      try {
        // Each part moves the epoch by one.
        await ports.store.recordDecision(part, snapshot.epoch + done.length, ports.lease);
      } catch (error) {
        if (done.length === 0 || !(error instanceof EpochMovedError)) throw error;
        break;
      }
      await finishDecision(ports, part);
    }
    done.push(part);
    failures.push(...(await tell(ports, part, snapshot)));
  }
  return { done, failures };
}

async function tell(ports: ControllerPorts, part: Decision, snapshot: ClusterSnapshot): Promise<readonly Error[]> {
  if (part.actions.length === 0 && part.blocked.length === 0) return [];
  if (part.shadow === true) return recordShadow(ports, part);
  const { pods, nodes } = snapshot;
  const nodePools = snapshot.nodePools.map(({ nodePool }) => nodePool);
  return announce(ports, part, { pods, nodes, nodePools });
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
