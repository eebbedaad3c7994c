import type { NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import { promisedNodes } from '../../core/cluster/nomination.ts';
import type { OverlayConflict } from '../../core/instance-type/overlays/overlays.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import type { Blocked, UnavailableOffering } from '../../core/model/decision.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { SchedulingOptions } from '../../core/model/scheduling-options.ts';
import type { ClusterSettings } from '../../core/model/settings.ts';
import { namespacedSubject } from '../../core/model/subject.ts';
import { read, readOr } from '../../core/observed.ts';
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
import { type ObservedPlaces, observePlaces } from './observe-places.ts';
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

function schedulingOptions(settings: ClusterSettings): SchedulingOptions {
  const { preferencePolicy, preferencePriceFactor, minValuesPolicy, packing, featureGates } = settings;
  const { fleetConsolidation, lowScoreWaits, softTaints } = settings;
  const { spotToSpotConsolidation, staticCapacity } = featureGates;
  return {
    preferencePolicy,
    preferencePriceFactor,
    minValuesPolicy,
    fleetConsolidation,
    lowScoreWaits,
    softTaints,
    spotToSpotConsolidation,
    staticCapacity,
    ...optional({ packing }),
  };
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
  const [nodes, pods, daemonSets, podDisruptionBudgets, { views, conflicts, overlays, hasTypes }, observedBuffers] =
    await Promise.all([
      ports.cluster.listNodes(),
      ports.cluster.listPods(),
      ports.cluster.listDaemonSets(),
      log.observe('PodDisruptionBudgets', async () => ports.cluster.listPodDisruptionBudgets()),
      observePools(ports, view, { nodeClaims: claims.records, unavailable }),
      log.observe('CapacityBuffers', async () => observeBuffers(ports, nowMs)),
    ]);
  const buffers = readOr(observedBuffers, { pods: [], unready: [] });
  const deleted = new Set(
    claims.records.flatMap(({ nodeName, deletion }) => (deletion === undefined ? [] : (nodeName ?? []))),
  );
  const isPlacing = hasTypes || buffers.pods.length > 0;
  const { namespaces, ...places } = isPlacing ? await observePlaces(ports.cluster, pods, log) : NO_PLACES;
  const { known, waiting } = awaitNamespaces(pods, namespaces);
  const observed = [commands, nominations, podDisruptionBudgets, observedBuffers];
  return {
    cluster,
    epoch,
    nodePools: withUnreadableClaims(views, claims.unreadable),
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
      ...conflicts.map(ignoredOverlay),
      ...buffers.unready.map(ignoredBuffer),
      ...ignoredDaemonSets(cluster, daemonSets),
      // Provisioning does without these reads. Disruption does nothing while one of them is unread.
      ...refusalsOfUnread(cluster, [...observed, overlays, namespaces], 'NotRead'),
      ...waiting,
    ],
  };
}

/** In parallel with the large lists. */
async function observePools(
  ports: InstanceTypePorts,
  { instanceTypes, readings }: ObservedCluster,
  {
    nodeClaims,
    unavailable,
  }: { readonly nodeClaims: readonly NodeClaimRecord[]; readonly unavailable: readonly UnavailableOffering[] },
): Promise<ObservedPools & { readonly hasTypes: boolean }> {
  const nodePools = await ports.cluster.listNodePools();
  if (instanceTypes({ nodePools, nodeClaims }))
    return { ...(await withInstanceTypes(ports, nodePools, { unavailable, readings })), hasTypes: true };
  const views = nodePools.map((nodePool) => ({ nodePool, instanceTypes: [] }));
  return { views, conflicts: [], overlays: read([]), hasTypes: false };
}

const NO_PLACES: ObservedPlaces = { namespaces: read([]) };

function ignoredOverlay({ overlay, reason, message }: OverlayConflict): Blocked {
  return { subject: { kind: 'NodeOverlay', name: overlay }, reason, message, numbers: {} };
}

function ignoredBuffer({ buffer, reason, message }: UnreadyBuffer): Blocked {
  return { subject: namespacedSubject('CapacityBuffer', buffer), reason, message, numbers: {} };
}
