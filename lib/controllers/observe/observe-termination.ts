import type { Pod, PodDisruptionBudget } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { type Instance, instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { nodeOfClaim } from '../../core/node-claim/registration.ts';
import { beginsWithoutList, mayRun, type TerminationView } from '../../core/node-claim/termination.ts';
import { awaitsVolumes } from '../../core/node-claim/volume-detachment.ts';
import { mapRead, type Observed, read, readOr, type Unread } from '../../core/observed.ts';
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
import { goesLast, type SeenRest } from './observe-at-rest.ts';
import { observeShifts } from './observe-unavailable.ts';
import { type ObservedVolumes, observeVolumes, volumesOf } from './observe-volumes.ts';
import { type Readings, readings } from './readings.ts';
import { type SharedRead, sharedRead } from './shared-read.ts';

/** The observed state that all deleted claims of one run share. */
export interface ObservedTermination extends SeenRest {
  /** Read for the first claim that needs it, and once in a run. */
  readonly ofEc2: SharedRead<SeenInstances>;
  readonly volumes: ObservedVolumes;
  /** Read after refused evictions, and once in a run. */
  readonly budgets: SharedRead<Observed<readonly PodDisruptionBudget[]>>;
}

interface SeenInstances {
  readonly instances: Observed<ReadonlyMap<string, DescribedInstance>>;
  /** C36: instances in these zones are neither described nor terminated. */
  readonly shifted: Observed<ReadonlySet<string>>;
}

/** *Cost:* one list of nodes, and at most one of instances for all claims (C51). */
export async function observeTermination(
  ports: ReadsCluster & InspectsInstances & ReadsZonalShifts,
  cluster: string,
  records: readonly NodeClaimRecord[],
): Promise<ObservedTermination> {
  const log = readings();
  const ofEc2 = sharedRead(async () => observeInstances(ports, log, { cluster, records }));
  // At the same time as the nodes. Claims that do not need it do not wait for it.
  if (records.some((record) => !beginsWithoutList({ record, node: NOT_READ_YET }))) void Promise.allSettled([ofEc2()]);
  const nodes = await log.observe('nodes', async () => (records.length === 0 ? [] : ports.cluster.listNodes()));
  return {
    readings: log,
    nodes,
    ofEc2,
    volumes: observeVolumes(ports, log),
    budgets: sharedRead(async () =>
      log.observe('PodDisruptionBudgets', async () => ports.cluster.listPodDisruptionBudgets()),
    ),
  };
}

const NOT_READ_YET: Unread = { kind: 'unread', failure: new Error('not read yet') };
/** Of an instance that is not looked up. */
const NOT_ASKED: SeenInstances = { instances: NOT_READ_YET, shifted: NOT_READ_YET };

async function observeInstances(
  { cloud }: InspectsInstances & ReadsZonalShifts,
  log: Readings,
  { cluster, records }: { readonly cluster: string; readonly records: readonly NodeClaimRecord[] },
): Promise<SeenInstances> {
  const all = records.flatMap((record) => instanceOf(record) ?? []);
  if (all.length === 0) return { instances: read(new Map()), shifted: read(new Set()) };
  const shifted = await observeShifts(cloud, log);
  const away = readOr(shifted, new Set<string>());
  const ids = all.filter(({ zone }) => !away.has(zone)).map(({ id }) => id);
  const instances = await log.observe('instances', async () =>
    ids.length === 0 ? [] : cloud.describeInstances(cluster, ids),
  );
  return { instances: mapRead(instances, (found) => new Map(found.map((one) => [one.id, one]))), shifted };
}

export type TerminationViewPorts = ReadsCluster & ReadsClaims & HasClock & HasSettings;

/** The view of one claim for the decisions of termination. */
export async function terminationViewOf(
  ports: TerminationViewPorts,
  record: NodeClaimRecord,
  world: ObservedTermination,
): Promise<TerminationView> {
  const instance = instanceOf(record);
  const node = mapRead(world.nodes, (nodes) => nodeOfClaim(nodes, record));
  const nodeName = node.kind === 'read' ? node.value?.metadata.name : record.nodeName;
  const pods =
    nodeName === undefined
      ? read([])
      : await world.readings.observe('the pods of nodes', async () => podsOnNode(ports, nodeName));
  const seen = beginsWithoutList({ record, node }) ? NOT_ASKED : await world.ofEc2();
  const zoneShifted = instance !== undefined && readOr(seen.shifted, new Set<string>()).has(instance.zone);
  const { ignoreAtZero } = ports.settings;
  const isLast = pods.kind === 'read' && (await goesLast(ports, { record, pods: pods.value }, world));
  const instanceState = zoneShifted ? 'alive' : stateOf(instance, seen);
  return {
    record,
    node,
    pods,
    instanceState,
    ...(await volumesAwaited(ports, { record, node, pods, instanceState }, world)),
    ...(isLast && { ignoreAtZero }),
    ...(zoneShifted ? { zoneShifted } : {}),
    ...optional({ untagged: readOr(seen.instances, undefined)?.get(instance?.id ?? '')?.untagged }),
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
  { instances, shifted }: SeenInstances,
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
