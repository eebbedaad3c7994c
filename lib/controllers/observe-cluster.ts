import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import { namespaceOf } from '../apis/kubernetes.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { Blocked, UnavailableOffering } from '../core/action.ts';
import type { ClusterSnapshot, NodePoolView } from '../core/cluster/snapshot.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';
import type { LearnedMemory } from '../core/instance-type/learned-memory.ts';
import { applyOverlays, type OverlaidViews, type OverlayConflict } from '../core/instance-type/overlays.ts';
import { instanceTypesFor } from '../core/instance-type/resolve.ts';
import { kubeletExpressionProblem } from '../core/instance-type/type-kubelet.ts';
import { unavailability, zonesWithAddresses } from '../core/instance-type/unavailable.ts';
import { withOverlayPrices } from '../core/instance-type/unpriced-types.ts';
import { whyNotUsable } from '../core/node-class/readiness.ts';
import { whyNotStartable } from '../core/node-class/user-data.ts';
import type { UnreadyBuffer } from '../core/provisioning/buffer-template.ts';
import { observeBuffers } from './observe-buffers.ts';
import { observePlaces } from './observe-places.ts';
import { observeUnavailable } from './observe-unavailable.ts';
import { settledEpoch } from './open-decisions.ts';
import type { ControllerPorts } from './ports.ts';
import { resolveNodeClass } from './resolve-node-class.ts';

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
    observeBuffers(ports.cluster, nowMs),
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

/** Instance types follow from the NodeClass: pools that share one share them, as far as NodeOverlays leave them alike. */
async function withInstanceTypes(
  ports: ControllerPorts,
  nodePools: readonly NodePool[],
  unavailable: readonly UnavailableOffering[],
): Promise<OverlaidViews> {
  const [nodeClasses, overlays, read, learnedMemory] = await Promise.all([
    ports.cluster.listNodeClasses(),
    ports.cluster.listNodeOverlays(),
    ports.catalogue.readCatalogue(),
    ports.catalogue.listLearnedMemory(ports.clock.now()),
  ]);
  const catalogue = read === undefined ? undefined : withOverlayPrices(read, overlays);
  const referenced = new Set(nodePools.map(({ spec }) => spec.template.spec.nodeClassRef.name));
  const launchable = new Map(
    await Promise.all(
      nodeClasses
        .filter(({ metadata }) => referenced.has(metadata.name))
        .map(
          async (one) =>
            [one.metadata.name, await whatLaunches(ports, one, { catalogue, unavailable, learnedMemory })] as const,
        ),
    ),
  );
  const views = nodePools.map((nodePool): NodePoolView => {
    const { name } = nodePool.spec.template.spec.nodeClassRef;
    const nodeClass = nodeClasses.find((one) => one.metadata.name === name);
    const missing = unusable('NodeClassNotFound', `its EC2NodeClass ${name} does not exist`);
    return { nodePool, ...(nodeClass === undefined ? {} : { nodeClass }), ...(launchable.get(name) ?? missing) };
  });
  return applyOverlays(views, overlays);
}

type Launchable = Pick<NodePoolView, 'instanceTypes' | 'unusable'>;

interface Known {
  readonly catalogue: Catalogue | undefined;
  readonly unavailable: readonly UnavailableOffering[];
  readonly learnedMemory: readonly LearnedMemory[];
}

async function whatLaunches(ports: ControllerPorts, nodeClass: EC2NodeClass, known: Known): Promise<Launchable> {
  const unready = whyNotUsable(nodeClass);
  if (unready !== undefined) return unusable(unready.reason, unready.message);
  const unstartable = whyNotStartable(nodeClass);
  if (unstartable !== undefined) return unusable('Unsupported', unstartable);
  const resolution = await resolveNodeClass(ports, nodeClass);
  if (resolution.kind === 'unresolved') {
    return unusable(resolution.reason, `EC2NodeClass ${nodeClass.metadata.name}: ${resolution.message}`);
  }
  if (known.catalogue === undefined) {
    return unusable('NoCatalogue', 'instance types and prices were not read yet: the catalogue function does that');
  }
  const problem = kubeletExpressionProblem(nodeClass, known.catalogue.facts);
  if (problem !== undefined) return unusable(problem.reason, problem.message);
  const { subnets, images, placementGroup, capacityReservations: reservations = [] } = resolution.nodeClass;
  const zones = zonesWithAddresses(subnets, known.unavailable);
  const isUnavailable = unavailability(known.unavailable);
  const { learnedMemory } = known;
  const options = { zones, isUnavailable, reservations, images, placementGroup, learnedMemory };
  return { instanceTypes: instanceTypesFor(known.catalogue, nodeClass, options) };
}

function unusable(reason: string, message: string): Launchable {
  return { instanceTypes: [], unusable: { reason, message } };
}
