import { BadInputError } from '../../apis/bad-input-error.ts';
import { counted } from '../../apis/counted.ts';
import { REGION, regionOfZone } from '../../apis/labels.ts';
import type { RegionChoice } from '../../catalogue/choose-region.ts';
import { shippedCatalogue } from '../../catalogue/figures.ts';
import type { ClusterReader, LimitRangeReader } from '../../ports/cluster.ts';
import { type LiveObjects, liveSnapshotText } from '../../snapshot/live-document.ts';
import { checkingOptions } from '../checking-options.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../render/render-lines.ts';
import { userPath } from '../shell-context.ts';
import type { SnapshotFlags } from './snapshot-command.ts';

/** The lists of a snapshot. */
export type LiveReader = Pick<
  ClusterReader,
  | 'listNodePools'
  | 'listNodeClasses'
  | 'listNodeClaims'
  | 'listNodeOverlays'
  | 'listCapacityBuffers'
  | 'listPodTemplates'
  | 'listScalableWorkloads'
  | 'listNodes'
  | 'listPods'
  | 'listDaemonSets'
  | 'listPodDisruptionBudgets'
  | 'listNamespaces'
  | 'listVolumeAttachments'
  | 'readStorage'
> &
  LimitRangeReader;

type Connect = (flags: SnapshotFlags) => Promise<LiveReader>;

/** Runs `kerf snapshot`. *Errors:* BadInputError if the region is not known; those of the API server. */
export async function runSnapshot(
  context: CliContext,
  flags: SnapshotFlags,
  connect: Connect = connectedReader,
): Promise<void> {
  const { objects, text, warnings } = await readLive(await connect(flags), flags);
  const { stdout, stderr } = context.process;
  const notes = [
    ...warnings.map((warning) => `warning: ${warning}`),
    `${counted(objects.nodes.length, 'node')}, ${counted(objects.pods.length, 'pod')}, ${counted(objects.nodePools.length, 'NodePool')} and ${counted(objects.nodeClaims.length, 'NodeClaim')} read`,
  ];
  stderr.write(notes.map((note) => `${printable(note)}\n`).join(''));
  stdout.write(text);
  context.process.exitCode = EXIT.fine;
}

interface LiveSnapshot {
  readonly objects: LiveObjects;
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Reads the cluster once. *Errors:* BadInputError if the region is not known; those of the API server. */
export async function readLive(cluster: LiveReader, flags: Omit<SnapshotFlags, 'output'>): Promise<LiveSnapshot> {
  const nowMs = Date.now();
  const objects = await readObjects(cluster, flags.name ?? flags.context ?? 'cluster');
  const catalogue = shippedCatalogue(regionOf(objects, flags.region));
  return {
    objects,
    text: liveSnapshotText(objects, catalogue, nowMs),
    warnings: [...(catalogue.standIn === undefined ? [] : [catalogue.standIn]), ...classNotes(objects)],
  };
}

/** Loads the client only when it is needed, because loading takes time. */
export async function connectedReader({
  kubeconfig,
  context,
}: Pick<SnapshotFlags, 'kubeconfig' | 'context'>): Promise<LiveReader> {
  const file = kubeconfig === undefined ? undefined : userPath(kubeconfig);
  const { wireLiveCluster } = await import('../../operator/wiring/live-cluster.ts');
  return await checkingOptions(async () => await wireLiveCluster({ file, context }));
}

/** Reads the lists of a snapshot. */
export async function readObjects(cluster: LiveReader, name: string): Promise<LiveObjects> {
  const [nodePools, nodeClasses, nodeClaims, nodeOverlays, capacityBuffers, podTemplates] = await Promise.all([
    cluster.listNodePools(),
    cluster.listNodeClasses(),
    cluster.listNodeClaims(),
    cluster.listNodeOverlays(),
    cluster.listCapacityBuffers(),
    cluster.listPodTemplates(),
  ]);
  const [nodes, pods, daemonSets, podDisruptionBudgets, namespaces, limitRanges, storage, volumeAttachments] =
    await Promise.all([
      cluster.listNodes(),
      cluster.listPods(),
      cluster.listDaemonSets(),
      cluster.listPodDisruptionBudgets(),
      cluster.listNamespaces(),
      cluster.listLimitRanges(),
      cluster.readStorage(),
      cluster.listVolumeAttachments(),
    ]);
  const listed = capacityBuffers.length === 0 ? [] : SCALABLE;
  const [deployments = [], statefulSets = [], replicaSets = []] = await Promise.all(
    listed.map(async (kind) => cluster.listScalableWorkloads(kind)),
  );
  return {
    name,
    deployments,
    statefulSets,
    replicaSets,
    nodePools,
    nodeClasses,
    nodeClaims,
    nodeOverlays,
    capacityBuffers,
    podTemplates,
    nodes,
    pods,
    daemonSets,
    podDisruptionBudgets,
    namespaces,
    limitRanges,
    storage: { ...storage, volumeAttachments },
  };
}

/** Only CapacityBuffers refer to them. */
const SCALABLE = ['Deployment', 'StatefulSet', 'ReplicaSet'] as const;

/** *Errors:* BadInputError if no node names the region, and no flag does. */
function regionOf({ nodes, nodeClasses }: LiveObjects, flag: string | undefined): RegionChoice {
  if (flag !== undefined) return { region: flag, because: '--region' };
  for (const { metadata } of nodes) {
    const region = metadata.labels?.[REGION];
    if (region !== undefined) return { region, because: `node ${metadata.name}` };
  }
  for (const { metadata, status } of nodeClasses) {
    const region = regionOfZone(status?.subnets?.[0]?.zone ?? '');
    if (region !== undefined) return { region, because: `EC2NodeClass ${metadata.name}` };
  }
  throw new BadInputError('neither a node nor an EC2NodeClass shows the region of the cluster: add --region');
}

/**
 * NodePools whose EC2NodeClass is missing have no instance types, and those without zones have all zones of the region. A status does not
 * show the free instances of capacity reservations.
 */
function classNotes({ nodePools, nodeClasses }: LiveObjects): readonly string[] {
  const reserving = nodeClasses.flatMap(({ metadata: { name }, status }) => {
    const count = status?.capacityReservations?.length ?? 0;
    if (count === 0) return [];
    return [
      `EC2NodeClass ${name} selects ${counted(count, 'capacity reservation')}, which only EC2 counts: plans launch into none`,
    ];
  });
  const named = new Map(nodeClasses.map((one) => [one.metadata.name, one]));
  const withoutZones = nodePools.flatMap(({ metadata, spec }) => {
    const { name } = spec.template.spec.nodeClassRef;
    const nodeClass = named.get(name);
    if (nodeClass === undefined) return [`NodePool ${metadata.name}: its EC2NodeClass ${name} does not exist`];
    if ((nodeClass.status?.subnets ?? []).length > 0) return [];
    return [`EC2NodeClass ${name} shows no subnets, so NodePool ${metadata.name} has all zones of the region`];
  });
  return [...withoutZones, ...reserving];
}
