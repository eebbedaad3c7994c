import type { Pod, PodDisruptionBudget } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { type Instance, instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { mayRun, type TerminationView } from '../../core/node-claim/termination.ts';
import { awaitsVolumes } from '../../core/node-claim/volume-detachment.ts';
import { mapRead, type Observed, read, readOr } from '../../core/observed.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';
import { RefusedError } from '../../ports/errors.ts';
import type {
  HasClock,
  HasSettings,
  InspectsInstances,
  ReadsClaims,
  ReadsCluster,
  ReadsZonalShifts,
} from '../run/ports.ts';
import { nodeOfInstance } from './find-observed.ts';
import { goesLast, type SeenRest } from './observe-at-rest.ts';
import { observeShifts } from './observe-unavailable.ts';
import { type ObservedVolumes, observeVolumes, volumesOf } from './observe-volumes.ts';
import { readings } from './readings.ts';
import { type SharedRead, sharedRead } from './shared-read.ts';

/** The observed state that all deleted claims of one run share. */
export interface ObservedTermination extends SeenRest {
  readonly instances: Observed<ReadonlyMap<string, DescribedInstance>>;
  /** C36: instances in these zones are neither described nor terminated. */
  readonly shifted: Observed<ReadonlySet<string>>;
  readonly volumes: ObservedVolumes;
  /** Read after refused evictions, and once in a run. */
  readonly budgets: SharedRead<Observed<readonly PodDisruptionBudget[]>>;
}

/** *Cost:* one list of nodes and one of instances for all claims (C51). */
export async function observeTermination(
  ports: ReadsCluster & InspectsInstances & ReadsZonalShifts,
  cluster: string,
  records: readonly NodeClaimRecord[],
): Promise<ObservedTermination> {
  const log = readings();
  const all = records.flatMap((record) => instanceOf(record) ?? []);
  const shifted = all.length === 0 ? read(new Set<string>()) : await observeShifts(ports.cloud, log);
  const away = readOr(shifted, new Set<string>());
  const ids = all.filter(({ zone }) => !away.has(zone)).map(({ id }) => id);
  const [nodes, instances] = await Promise.all([
    log.observe('nodes', async () => (records.length === 0 ? [] : ports.cluster.listNodes())),
    log.observe('instances', async () => (ids.length === 0 ? [] : ports.cloud.describeInstances(cluster, ids))),
  ]);
  const byId = mapRead(instances, (found) => new Map(found.map((one) => [one.id, one])));
  return {
    readings: log,
    nodes,
    instances: byId,
    shifted,
    volumes: observeVolumes(ports, log),
    budgets: sharedRead(async () =>
      log.observe('PodDisruptionBudgets', async () => ports.cluster.listPodDisruptionBudgets()),
    ),
  };
}

export type TerminationViewPorts = ReadsCluster & ReadsClaims & HasClock & HasSettings;

/** The view of one claim for the decisions of termination. */
export async function terminationViewOf(
  ports: TerminationViewPorts,
  record: NodeClaimRecord,
  world: ObservedTermination,
): Promise<TerminationView> {
  const instance = instanceOf(record);
  const node = mapRead(world.nodes, (nodes) => nodeOfInstance(nodes, instance));
  const nodeName = node.kind === 'read' ? node.value?.metadata.name : record.nodeName;
  const pods =
    nodeName === undefined
      ? read([])
      : await world.readings.observe('the pods of nodes', async () => podsOnNode(ports, nodeName));
  const zoneShifted = instance !== undefined && readOr(world.shifted, new Set<string>()).has(instance.zone);
  const { ignoreAtZero } = ports.settings;
  const isLast = pods.kind === 'read' && (await goesLast(ports, { record, pods: pods.value }, world));
  const instanceState = zoneShifted ? 'alive' : stateOf(instance, world);
  return {
    record,
    node,
    pods,
    instanceState,
    ...(await volumesAwaited(ports, { record, node, pods, instanceState }, world)),
    ...(isLast && { ignoreAtZero }),
    ...(zoneShifted ? { zoneShifted } : {}),
    ...optional({ untagged: readOr(world.instances, undefined)?.get(instance?.id ?? '')?.untagged }),
  };
}

/** D25: reads the volumes only for a node whose drained pods had volumes. */
async function volumesAwaited(
  { clock }: HasClock,
  { record, node, pods, instanceState }: Omit<TerminationView, 'volumes'>,
  { volumes }: ObservedTermination,
): Promise<Pick<TerminationView, 'volumes'>> {
  const nowMs = clock.now();
  if (!mayRun({ record, node, instanceState }) || pods.kind === 'unread' || !awaitsVolumes(record, pods.value, nowMs))
    return {};
  if (node.kind === 'unread') return { volumes: node };
  if (node.value === undefined) return {};
  return { volumes: await volumesOf(volumes, { record, node: node.value, pods: pods.value }, nowMs) };
}

function stateOf(
  instance: Instance | undefined,
  { instances, shifted }: ObservedTermination,
): TerminationView['instanceState'] {
  if (instances.kind === 'unread') return 'unread';
  const listed = instances.value.get(instance?.id ?? '');
  // C36: EC2 may not list an instance in a zone that the cluster is shifted away from.
  if (listed === undefined) return shifted.kind === 'unread' ? 'unread' : 'not-listed';
  const { state } = listed;
  return state === 'shutting-down' || state === 'terminated' ? state : 'alive';
}

/** *Errors:* a refusal names the node, because it may be of this node only; an outage is one failure for all nodes. */
async function podsOnNode({ cluster }: TerminationViewPorts, node: string): Promise<readonly Pod[]> {
  try {
    return await cluster.listPodsOnNode(node);
  } catch (cause) {
    if (cause instanceof RefusedError) throw new RefusedError(`node ${node}: ${cause.message}`, { cause });
    throw cause;
  }
}
