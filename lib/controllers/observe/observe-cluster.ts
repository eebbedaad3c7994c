import { promisedNodes } from '../../core/cluster/nomination.ts';
import type { OverlaidViews, OverlayConflict } from '../../core/instance-type/overlays/overlays.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import type { Blocked, UnavailableOffering } from '../../core/model/decision.ts';
import { namespacedSubject } from '../../core/model/subject.ts';
import type { UnreadyBuffer } from '../../core/provisioning/buffer-template.ts';
import { type SettlePorts, settledEpoch } from '../run/open-decisions.ts';
import type { ReadsZonalShifts } from '../run/ports.ts';
import { observeBuffers } from './observe-buffers.ts';
import { type InstanceTypePorts, withInstanceTypes } from './observe-instance-types.ts';
import { observePlaces } from './observe-places.ts';
import { observeUnavailable } from './observe-unavailable.ts';

/** What observing a cluster needs. */
export type ObservePorts = SettlePorts & InstanceTypePorts & ReadsZonalShifts;

/** What a controller looks at beside the cluster itself. */
export interface ObservedCluster {
  /** Whether NodePools are shown with what they could launch: only who launches needs to know. */
  readonly instanceTypes: boolean;
  /** Of a run that settled it before its own first look. @default it is settled now */
  readonly epoch?: number;
}

/** Observe, for decisions on a whole cluster, from an epoch up to which everything decided is there to be seen. */
export async function observeCluster(
  ports: ObservePorts,
  cluster: string,
  view: ObservedCluster,
): Promise<ClusterSnapshot> {
  const { store, settings } = ports;
  const { preferencePolicy, minValuesPolicy, ignoreAtZero } = settings;
  const epoch = view.epoch ?? (await settledEpoch(ports, cluster));
  const nowMs = ports.clock.now();
  const [nodeClaims, commands, nominations, { unavailable, ignoredObjects }] = await Promise.all([
    store.listNodeClaims(cluster),
    store.listCommands(cluster),
    store.listNominations(cluster, nowMs),
    observeUnavailable(ports, cluster, nowMs),
  ]);
  const [nodes, pods, daemonSets, podDisruptionBudgets, { views, conflicts }, buffers] = await Promise.all([
    ports.cluster.listNodes(),
    ports.cluster.listPods(),
    ports.cluster.listDaemonSets(),
    ports.cluster.listPodDisruptionBudgets(),
    observePools(ports, view, unavailable),
    observeBuffers(ports, nowMs),
  ]);
  const going = new Set(
    nodeClaims.flatMap(({ nodeName, deletion }) => (deletion === undefined ? [] : (nodeName ?? []))),
  );
  const places = view.instanceTypes || buffers.pods.length > 0 ? await observePlaces(ports.cluster, pods) : {};
  return {
    cluster,
    epoch,
    nodePools: views,
    nodes,
    pods,
    bufferPods: buffers.pods,
    daemonSets,
    podDisruptionBudgets,
    nodeClaims,
    commands,
    nominated: promisedNodes(nominations, pods, going),
    unavailable,
    options: { preferencePolicy, minValuesPolicy },
    ignoreAtZero,
    ...places,
    ignoredObjects: [...ignoredObjects, ...conflicts.map(ignoredOverlay), ...buffers.unready.map(ignoredBuffer)],
  };
}

/** Side by side with the large lists. */
async function observePools(
  ports: InstanceTypePorts,
  { instanceTypes }: ObservedCluster,
  unavailable: readonly UnavailableOffering[],
): Promise<OverlaidViews> {
  const nodePools = await ports.cluster.listNodePools();
  if (instanceTypes) return await withInstanceTypes(ports, nodePools, unavailable);
  return { views: nodePools.map((nodePool) => ({ nodePool, instanceTypes: [] })), conflicts: [] };
}

function ignoredOverlay({ overlay, reason, message }: OverlayConflict): Blocked {
  return { subject: { kind: 'NodeOverlay', name: overlay }, reason, message, numbers: {} };
}

function ignoredBuffer({ buffer, reason, message }: UnreadyBuffer): Blocked {
  return { subject: namespacedSubject('CapacityBuffer', buffer), reason, message, numbers: {} };
}
