import type { NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import { namesOf, withoutLostNominations } from '../../core/cluster/nominated-node.ts';
import { promisedNodes } from '../../core/cluster/nomination.ts';
import type { OverlayConflict } from '../../core/instance-type/overlays/overlays.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import type { Blocked } from '../../core/model/decision.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { schedulingOptions } from '../../core/model/settings.ts';
import { namespacedSubject } from '../../core/model/subject.ts';
import { type Observed, read, readOr } from '../../core/observed.ts';
import type { BufferPods } from '../../core/provisioning/buffer-pods.ts';
import type { UnreadyBuffer } from '../../core/provisioning/buffer-template.ts';
import { withoutGivenUp } from '../../core/provisioning/given-up-claims.ts';
import { ignoredDaemonSets } from '../../core/provisioning/ignored-pod.ts';
import { awaitNamespaces } from '../../core/provisioning/unread-namespaces.ts';
import { refusedClaims, withUnreadableClaims } from '../../core/provisioning/unreadable-claims.ts';
import type { NodeClaimList } from '../../ports/node-claim-store.ts';
import type { SettlePorts } from '../run/open-decisions.ts';
import type { ReadsZonalShifts } from '../run/ports.ts';
import { observeBuffers } from './observe-buffers.ts';
import { type InstanceTypePorts, type ObservedPools, withInstanceTypes } from './observe-instance-types.ts';
import { observePlaces, type ReadsBeforePlaces } from './observe-places.ts';
import { observeUnavailable } from './observe-unavailable.ts';
import { type Readings, refusalsOfUnread } from './readings.ts';

/** What observing a cluster needs. */
export type ObservePorts = SettlePorts & InstanceTypePorts & ReadsZonalShifts;

/** Options of a controller for its snapshot. */
export interface ObservedCluster {
  /** Whether the snapshot includes the instance types of NodePools, and the volumes of pods. */
  readonly instanceTypes: (seen: {
    readonly nodePools: readonly NodePool[];
    readonly nodeClaims: readonly NodeClaimRecord[];
  }) => boolean;
  /** The epoch that the run has read first, after it finished open decisions. */
  readonly epoch: number;
  /** Has the failures of reads that provisioning can do without; disruption waits for them. */
  readonly readings: Readings;
  /** The NodeClaims, if the run has read them or reads them now. @default they are read */
  readonly claims?: NodeClaimList | Promise<NodeClaimList>;
  /** Leaves out nominations that end in this time. *Units:* milliseconds. @default 0 */
  readonly nominatedForMs?: number;
}

/** Reads the state of the cluster, for decisions on the whole cluster. It includes the results of all decisions up to its epoch. */
export async function observeCluster(
  ports: ObservePorts,
  cluster: string,
  view: ObservedCluster,
): Promise<ClusterSnapshot> {
  const { store, settings } = ports;
  const { epoch, readings: log } = view;
  const nowMs = ports.clock.now();
  const [claims, commands, nominations, { unavailable, ignoredObjects }] = await Promise.all([
    view.claims ?? store.readNodeClaims(cluster),
    log.observe('disruption commands', async () => store.listCommands(cluster)),
    log.observe('nominations', async () => store.listNominations(cluster, nowMs + (view.nominatedForMs ?? 0))),
    observeUnavailable(ports, cluster, log),
  ]);
  const begun = beginReads(ports, view, { nodeClaims: claims.records, nowMs });
  const [nodes, pods, daemonSets, podDisruptionBudgets, pools, observedBuffers, observedPlaces] = await Promise.all([
    ports.cluster.listNodes(),
    begun.pods,
    ports.cluster.listDaemonSets(),
    log.observe('PodDisruptionBudgets', async () => ports.cluster.listPodDisruptionBudgets()),
    observePools(ports, begun.pools, { unavailable, nodeClaims: claims.records, readings: log }),
    begun.buffers,
    observePlaces(ports.cluster, begun, log),
  ]);
  const buffers = readOr(observedBuffers, NO_BUFFERS);
  const { namespaces, isPlacing, ...places } = observedPlaces;
  const deleted = new Set(
    claims.records.flatMap(({ nodeName, deletion }) => (deletion === undefined ? [] : (nodeName ?? []))),
  );
  const { known, waiting } = awaitNamespaces(withoutLostNominations(pods, namesOf(nodes)), namespaces);
  const observed = [commands, nominations, podDisruptionBudgets, observedBuffers];
  return {
    cluster,
    epoch,
    nodePools: withUnreadableClaims(pools.views, claims.unreadable),
    nodes,
    pods: known,
    bufferPods: buffers.pods,
    daemonSets,
    podDisruptionBudgets: readOr(podDisruptionBudgets, []),
    nodeClaims: withoutGivenUp(claims.records, nowMs),
    commands: readOr(commands, []),
    nominated: promisedNodes(readOr(nominations, []), pods, deleted),
    unavailable,
    options: schedulingOptions(settings),
    ignoreAtZero: settings.ignoreAtZero,
    ...places,
    ...(isPlacing && optional({ namespaces: readOr(namespaces, undefined) })),
    ignoredObjects: [
      ...ignoredObjects,
      ...refusedClaims(claims.unreadable),
      ...pools.conflicts.map(ignoredOverlay),
      ...buffers.unready.map(ignoredBuffer),
      ...ignoredDaemonSets(cluster, daemonSets),
      // Provisioning does without these reads. Disruption does nothing while one of them is unread.
      ...refusalsOfUnread(cluster, [...observed, pools.overlays, namespaces], 'NotRead'),
      ...waiting,
    ],
  };
}

/** Reads that begin with the large lists. What they read decides which others follow beside these lists. */
interface BegunReads extends ReadsBeforePlaces {
  readonly buffers: Promise<Observed<BufferPods>>;
  readonly pools: Promise<{ readonly nodePools: readonly NodePool[]; readonly hasTypes: boolean }>;
}

function beginReads(
  ports: ObservePorts,
  { instanceTypes, readings: log }: ObservedCluster,
  { nodeClaims, nowMs }: { readonly nodeClaims: readonly NodeClaimRecord[]; readonly nowMs: number },
): BegunReads {
  const pods = ports.cluster.listPods();
  const buffers = log.observe('CapacityBuffers', async () => observeBuffers(ports, nowMs));
  const listed = ports.cluster.listNodePools();
  const pools = listed.then((nodePools) => ({ nodePools, hasTypes: instanceTypes({ nodePools, nodeClaims }) }));
  const isPlacing = pools.then(async ({ hasTypes }) => hasTypes || readOr(await buffers, NO_BUFFERS).pods.length > 0);
  return { pods, buffers, pools, isPlacing };
}

async function observePools(
  ports: InstanceTypePorts,
  begun: BegunReads['pools'],
  known: Parameters<typeof withInstanceTypes>[2],
): Promise<ObservedPools> {
  const { nodePools, hasTypes } = await begun;
  if (hasTypes) return withInstanceTypes(ports, nodePools, known);
  const views = nodePools.map((nodePool) => ({ nodePool, instanceTypes: [] }));
  return { views, conflicts: [], overlays: read([]) };
}

const NO_BUFFERS: BufferPods = { pods: [], unready: [] };

function ignoredOverlay({ overlay, reason, message }: OverlayConflict): Blocked {
  return { subject: { kind: 'NodeOverlay', name: overlay }, reason, message, numbers: {} };
}

function ignoredBuffer({ buffer, reason, message }: UnreadyBuffer): Blocked {
  return { subject: namespacedSubject('CapacityBuffer', buffer), reason, message, numbers: {} };
}
