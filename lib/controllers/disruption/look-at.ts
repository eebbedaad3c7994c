import { optional } from '../../apis/optional.ts';
import { claimsDigest } from '../../core/cluster/claims-digest.ts';
import type { DisruptContext } from '../../core/disruption/disrupt.ts';
import { needsInstanceTypes, type SeenPools } from '../../core/disruption/method.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import type { NodeClaimList, PassMemoryStore } from '../../ports/node-claim-store.ts';
import { refusalName } from '../act/action-subject.ts';
import { readPassMemory, withPastMoves } from '../act/disruption-memory.ts';
import { notePodEvents } from '../act/note-pod-events.ts';
import type { NotingRun } from '../act/run-notes.ts';
import { type ObservePorts, observeCluster } from '../observe/observe-cluster.ts';
import { type Readings, readings } from '../observe/readings.ts';
import { type NamedDecision, nameDecision, type RecordPorts } from '../run/cluster-decision.ts';
import type { HasClock, RemembersRefusals } from '../run/ports.ts';
import type { TurnPorts } from '../run/take-turns.ts';
import type { Disruption } from './quiet-passes.ts';
import { refusedTaints } from './soft-taints.ts';

export type DisruptionPorts = TurnPorts & ObservePorts & RecordPorts & { readonly store: PassMemoryStore };

export interface Look {
  readonly snapshot: ClusterSnapshot;
  readonly context: DisruptContext;
  readonly named: NamedDecision;
  readonly log: Readings;
}

/** What the function sees of the cluster. @param claims the NodeClaims, if they are not read again */
export async function lookAt(
  ports: DisruptionPorts,
  of: {
    /** Of the run, which may look twice. */
    readonly noting: NotingRun;
    readonly epoch: number;
    readonly disruption: Disruption;
    readonly claims?: NodeClaimList;
  },
): Promise<Look> {
  const { noting, epoch, disruption } = of;
  const { cluster } = noting;
  const log = readings();
  const instanceTypes = (pools: SeenPools): boolean => needsInstanceTypes(disruption.methods, pools);
  const reading = of.claims ?? ports.store.readNodeClaims(cluster);
  const [claims, observed, passMemory] = await Promise.all([
    reading,
    observeCluster(ports, cluster, { instanceTypes, epoch, readings: log, claims: reading }),
    readPassMemory(ports, cluster, log),
  ]);
  const { records, unreadable } = claims;
  if (unreadable.length > 0) disruption.claims.delete(cluster);
  else disruption.claims.set(cluster, { claims, digest: claimsDigest(records) });
  const seen = await withPastMoves(ports, observed, log);
  // In shadow, the NodeClaim objects have the times of the last pod events.
  const noted = ports.settings.shadow ? seen : await notePodEvents({ ...noting, ports }, seen);
  const nodePools = seen.nodePools.map(({ nodePool }) => nodePool);
  const snapshot = instanceTypes({ ...seen, nodePools }) ? { ...noted, ...optional({ passMemory }) } : noted;
  const named = nameDecision(ports, 'disruption', snapshot);
  const names = snapshot.nodeClaims.map(({ name }) => name);
  const refused = refusedDeletions(ports, cluster, names);
  const context = {
    decisionId: named.id,
    nowMs: named.atMs,
    refused,
    refusedTaints: refusedTaints(
      ports,
      cluster,
      snapshot.nodes.map(({ metadata }) => metadata.name),
    ),
    taints: !ports.settings.shadow,
  };
  return { snapshot, context, named, log };
}

/** The NodeClaims whose deletion was refused for good, until it is tried again. */
function refusedDeletions(
  { refusals, clock }: HasClock & RemembersRefusals,
  cluster: string,
  nodeClaims: readonly string[],
): ReadonlySet<string> {
  const nowMs = clock.now();
  const isRefused = (nodeClaim: string): boolean => {
    const name = refusalName(cluster, { kind: 'delete-node-claim', nodeClaim, reason: 'empty', message: '' });
    return refusals?.isPaused(name, nowMs) ?? false;
  };
  return new Set(nodeClaims.filter(isRefused));
}
