/** What provisioning decides while the planned nodes join. */
import { type Node, type Pod, podKey } from '../../lib/apis/kubernetes.ts';
import { INITIALIZED } from '../../lib/apis/labels.ts';
import { optional } from '../../lib/apis/optional.ts';
import { sameTaint, UNREGISTERED_TAINT } from '../../lib/apis/taints.ts';
import type { PodNomination } from '../../lib/core/cluster/nominated-node.ts';
import type { ClusterSnapshot } from '../../lib/core/model/cluster-snapshot.ts';
import type { NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import { launched } from '../../lib/core/node-claim/launch/launch.ts';
import { inTurn } from '../../lib/core/node-claim/turn.ts';
import {
  doSeveralStart,
  lostNominations,
  plannedNodes,
  podNominations,
} from '../../lib/core/provisioning/follow-plan/pod-nominations.ts';
import { awaitedStarts, awaitedUntilMs, startTurns } from '../../lib/core/provisioning/follow-plan/start-together.ts';
import { newNodeClaim } from '../../lib/core/provisioning/new-node-claim.ts';
import { schedulePods } from '../../lib/core/provisioning/schedule-pods.ts';
import { podRequests } from '../../lib/core/resources/pod-requests.ts';
import { add, subtract } from '../../lib/core/resources/resources.ts';
import type { PlannedNodeClaim } from '../../lib/core/scheduling/schedule.ts';

/** A node with its times, since the first node was to join. */
export interface JoinedNode {
  readonly node: Node;
  /** @default not yet */
  readonly registeredAtMs?: number;
}

interface SeenCluster {
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
}

/** Provisioning, after it has launched the claims of a plan. */
export interface Provisioning {
  /** Plans again. *Shape:* the changed nominations, and the number of nodes that are launched for pods without a place. */
  decide(
    seen: SeenCluster,
    nowMs: number,
  ): {
    readonly nominations: readonly PodNomination[];
    readonly launched: number;
  };
  /** The nominations that pods have lost since. */
  lost(seen: SeenCluster): readonly PodNomination[];
  /** B67: until when the nodes that have joined wait for the others. *Shape:* by name; only nodes that wait. */
  awaitedStarts(joined: readonly JoinedNode[]): ReadonlyMap<string, number>;
  /** The names of all nodes, in the order in which one run registers them. */
  registrationOrder(): readonly string[];
}

/** Nodes that are launched later are never there in time, but count in later plans. Daemons have no pods: the nodes offer less instead. */
export function provisioningOf(
  snapshot: ClusterSnapshot,
  claims: readonly PlannedNodeClaim[],
  nameOf: (claim: PlannedNodeClaim) => string,
): Provisioning {
  const turns = startTurns(claims);
  const records = claims.map((claim, at): NodeClaimRecord => {
    const expectedNodeName = nameOf(claim);
    const record = launchedRecord(claim, { at, decisionId: 'first', nowMs: 0 });
    return { ...record, expectedNodeName, ...optional({ startTurn: turns?.[at] }) };
  });
  let runs = 0;
  return {
    decide({ pods, nodes }, nowMs) {
      runs += 1;
      const nodeClaims = joined(records, nodes, nowMs);
      const schedule = schedulePods({ ...snapshot, pods, nodes, nodeClaims, daemonSets: [] }, nowMs);
      const { newClaims } = schedule;
      for (const [at, claim] of newClaims.entries())
        records.push(launchedRecord(claim, { at, decisionId: `run-${runs}`, nowMs }));
      return { nominations: podNominations(pods, plannedNodes(schedule)), launched: newClaims.length };
    },
    awaitedStarts(joinedNodes) {
      const byName = new Map(joinedNodes.map((one) => [one.node.metadata.name, one]));
      const seen = records.map((record): NodeClaimRecord => {
        const registeredAtMs = byName.get(record.expectedNodeName ?? '')?.registeredAtMs;
        return registeredAtMs === undefined ? record : { ...record, registeredAtMs };
      });
      const nodeOf = ({ expectedNodeName = '' }: NodeClaimRecord): Node | undefined =>
        byName.get(expectedNodeName)?.node;
      // All programs have the same clock.
      const awaited = awaitedStarts(seen, { nodeOf, launchedAtMs: () => undefined, isSingle: false });
      return new Map(
        seen.flatMap((record) => {
          const untilMs = awaitedUntilMs(record, awaited);
          return untilMs === undefined ? [] : [[record.expectedNodeName ?? '', untilMs] as const];
        }),
      );
    },
    registrationOrder: () => inTurn(records, 0).flatMap(({ expectedNodeName }) => expectedNodeName ?? []),
    lost({ pods, nodes }) {
      const seen = joined(records, nodes, 0);
      return doSeveralStart(seen) ? lostNominations(pods, seen) : [];
    },
  };
}

/** The records as lifecycle leaves them: with the names of registered nodes, and the time of the initialization. */
function joined(
  records: readonly NodeClaimRecord[],
  nodes: readonly Node[],
  nowMs: number,
): readonly NodeClaimRecord[] {
  const initialized = new Map(
    nodes
      .filter(({ spec }) => spec?.taints?.some((taint) => sameTaint(taint, UNREGISTERED_TAINT)) !== true)
      .map(({ metadata: { name, labels = {} } }) => [name, labels[INITIALIZED] === 'true']),
  );
  return records.map((record) => {
    const { expectedNodeName: nodeName = '' } = record;
    const isInitialized = initialized.get(nodeName);
    if (isInitialized === undefined) return record;
    return { ...record, nodeName, ...(isInitialized && { initializedAtMs: nowMs }) };
  });
}

interface Launching {
  readonly at: number;
  readonly decisionId: string;
  readonly nowMs: number;
}

function launchedRecord(claim: PlannedNodeClaim, { at, decisionId, nowMs }: Launching): NodeClaimRecord {
  const { type, offering } = claim.cheapest;
  const { zone, capacityType, priceUsdPerHour } = offering;
  const id = `i-${decisionId}-${at}`;
  const instance = { id, instanceType: type.name, zone, capacityType, imageId: 'ami-bench', priceUsdPerHour };
  const record = launched(newNodeClaim(claim, at, { cluster: 'bench', decisionId, nowMs }), instance, nowMs);
  const ofDaemons = subtract(claim.requests, add(...claim.pods.map(podRequests)));
  return { ...record, pods: claim.pods.map(podKey), allocatable: subtract(type.allocatable, ofDaemons) };
}
