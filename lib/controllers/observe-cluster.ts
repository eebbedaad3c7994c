import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { UnavailableOffering } from '../core/action.ts';
import type { ClusterSnapshot, NodePoolView } from '../core/cluster/snapshot.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';
import { instanceTypesFor } from '../core/instance-type/resolve.ts';
import { unavailability } from '../core/instance-type/unavailable.ts';
import { whyNotStartable } from '../core/node-class/user-data.ts';
import type { NodeClassResolution } from '../ports/cloud-provider.ts';
import type { ControllerPorts } from './ports.ts';

/**
 * Observe, for decisions on a whole cluster. The epoch is read first: whatever is recorded by somebody else while we read
 * makes our decision void.
 */
export async function observeCluster(ports: ControllerPorts, cluster: string): Promise<ClusterSnapshot> {
  const { store } = ports;
  const epoch = await store.readEpoch(cluster);
  const nowMs = ports.clock.now();
  const [nodeClaims, commands, nominations, unavailable] = await Promise.all([
    store.listNodeClaims(cluster),
    store.listCommands(cluster),
    store.listNominations(cluster, nowMs),
    ports.catalogue.listUnavailable(nowMs),
  ]);
  const [nodes, pods, daemonSets, podDisruptionBudgets, nodePools] = await Promise.all([
    ports.cluster.listNodes(),
    ports.cluster.listPods(),
    ports.cluster.listDaemonSets(),
    ports.cluster.listPodDisruptionBudgets(),
    observeNodePools(ports, unavailable),
  ]);
  const nominated = new Set(nominations.map((nomination) => nomination.node));
  const kubernetes = { nodes, pods, daemonSets, podDisruptionBudgets };
  return { cluster, epoch, nodePools, ...kubernetes, nodeClaims, commands, nominated, unavailable };
}

async function observeNodePools(
  ports: ControllerPorts,
  unavailable: readonly UnavailableOffering[],
): Promise<readonly NodePoolView[]> {
  const [nodePools, nodeClasses, catalogue] = await Promise.all([
    ports.cluster.listNodePools(),
    ports.cluster.listNodeClasses(),
    ports.catalogue.readCatalogue(),
  ]);
  const resolutions = new Map<string, NodeClassResolution>();
  for (const nodeClass of nodeClasses)
    resolutions.set(nodeClass.metadata.name, await ports.cloud.resolveNodeClass(nodeClass));
  return nodePools.map((nodePool) => {
    const { name } = nodePool.spec.template.spec.nodeClassRef;
    const nodeClass = nodeClasses.find((one) => one.metadata.name === name);
    return nodePoolView(nodePool, { nodeClass, resolution: resolutions.get(name), catalogue, unavailable });
  });
}

interface PoolParts {
  readonly nodeClass: EC2NodeClass | undefined;
  readonly resolution: NodeClassResolution | undefined;
  readonly catalogue: Catalogue | undefined;
  readonly unavailable: readonly UnavailableOffering[];
}

function nodePoolView(nodePool: NodePool, { nodeClass, resolution, catalogue, unavailable }: PoolParts): NodePoolView {
  const unusable = (reason: string, message: string): NodePoolView => ({
    nodePool,
    ...(nodeClass === undefined ? {} : { nodeClass }),
    instanceTypes: [],
    unusable: { reason, message },
  });
  const { name } = nodePool.spec.template.spec.nodeClassRef;
  if (nodeClass === undefined || resolution === undefined)
    return unusable('NodeClassNotFound', `its EC2NodeClass ${name} does not exist`);
  if (resolution.kind === 'unresolved')
    return unusable(resolution.reason, `EC2NodeClass ${name}: ${resolution.message}`);
  const unstartable = whyNotStartable(nodeClass);
  if (unstartable !== undefined) return unusable('Unsupported', unstartable);
  if (catalogue === undefined)
    return unusable('NoCatalogue', 'instance types and prices were not read yet: the catalogue function does that');
  const zones = new Set(resolution.nodeClass.subnets.map((subnet) => subnet.zone));
  return {
    nodePool,
    nodeClass,
    instanceTypes: instanceTypesFor(catalogue, nodeClass, { zones, isUnavailable: unavailability(unavailable) }),
  };
}
