import { namespaceOf } from '../apis/kubernetes.ts';
import type { Blocked } from '../core/action.ts';
import type { ClusterSnapshot } from '../core/cluster/snapshot.ts';
import { type OverlayConflict } from '../core/instance-type/overlays.ts';
import type { UnreadyBuffer } from '../core/provisioning/buffer-template.ts';
import { observeBuffers } from './observe-buffers.ts';
import { withInstanceTypes } from './observe-instance-types.ts';
import { observePlaces } from './observe-places.ts';
import { observeUnavailable } from './observe-unavailable.ts';
import { settledEpoch } from './open-decisions.ts';
import type { ControllerPorts } from './ports.ts';

/** What a controller looks at beside the cluster itself. */
export interface View {
  /** Whether NodePools are shown with what they could launch: only who launches needs to know. */
  readonly instanceTypes: boolean;
}

/** Observe, for decisions on a whole cluster, from an epoch up to which everything decided is there to be seen. */
export async function observeCluster(ports: ControllerPorts, cluster: string, view: View): Promise<ClusterSnapshot> {
  const { store, settings } = ports;
  const { preferencePolicy, minValuesPolicy, ignoreAtZero } = settings;
  const epoch = await settledEpoch(ports, cluster);
  const nowMs = ports.clock.now();
  const [nodeClaims, commands, nominations, { unavailable, unheeded }] = await Promise.all([
    store.listNodeClaims(cluster),
    store.listCommands(cluster),
    store.listNominations(cluster, nowMs),
    observeUnavailable(ports, cluster, nowMs),
  ]);
  const [nodes, pods, daemonSets, podDisruptionBudgets, nodePools, buffers] = await Promise.all([
    ports.cluster.listNodes(),
    ports.cluster.listPods(),
    ports.cluster.listDaemonSets(),
    ports.cluster.listPodDisruptionBudgets(),
    ports.cluster.listNodePools(),
    observeBuffers(ports, nowMs),
  ]);
  const places = view.instanceTypes || buffers.pods.length > 0 ? await observePlaces(ports.cluster, pods) : {};
  const { views, conflicts } = view.instanceTypes
    ? await withInstanceTypes(ports, nodePools, unavailable)
    : { views: nodePools.map((nodePool) => ({ nodePool, instanceTypes: [] })), conflicts: [] };
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
    nominated: new Set(nominations.map((nomination) => nomination.node)),
    unavailable,
    options: { preferencePolicy, minValuesPolicy },
    ignoreAtZero,
    ...places,
    unheeded: [...unheeded, ...conflicts.map(unheededOverlay), ...buffers.unready.map(unheededBuffer)],
  };
}

function unheededOverlay({ overlay, reason, message }: OverlayConflict): Blocked {
  return { subject: `nodeoverlay ${overlay}`, reason, message, numbers: {} };
}

function unheededBuffer({ buffer, reason, message }: UnreadyBuffer): Blocked {
  const subject = `capacitybuffer ${namespaceOf(buffer)}/${buffer.metadata.name}`;
  return { subject, reason, message, numbers: {} };
}
