import type { Node, PodDisruptionBudget } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { DISRUPTED_TAINT, sameTaint } from '../../apis/taints.ts';
import { canWait, isAtRest, runsNothingElse } from '../../core/cluster/at-rest.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../core/model/node-claim-record.ts';
import type { TerminationView } from '../../core/node-claim/termination.ts';
import { awaitsVolumes } from '../../core/node-claim/volume-detachment.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';
import type { SeenNodes } from '../run/fresh-state.ts';
import type {
  HasClock,
  HasSettings,
  InspectsInstances,
  ReadsClaims,
  ReadsCluster,
  ReadsZonalShifts,
} from '../run/ports.ts';
import { observeShifts } from './observe-unavailable.ts';
import { type ObservedVolumes, observeVolumes, volumesOf } from './observe-volumes.ts';
import { type SharedRead, sharedRead } from './shared-read.ts';

/** The observed state that all deleted claims of one run share. */
export interface ObservedTermination extends SeenNodes {
  readonly instances: ReadonlyMap<string, DescribedInstance>;
  /** C36: instances in these zones are neither described nor terminated. */
  readonly shifted: ReadonlySet<string>;
  readonly volumes: ObservedVolumes;
  /** Read after refused evictions. */
  readonly budgets: SharedRead<readonly PodDisruptionBudget[]>;
  /** Whether only pods that can wait run in the cluster, and no claim is being launched: read when needed, and once. */
  rests?: Promise<boolean>;
}

/** *Cost:* one list of nodes and one of instances for all claims (C51). */
export async function observeTermination(
  ports: ReadsCluster & InspectsInstances & ReadsZonalShifts,
  cluster: string,
  records: readonly NodeClaimRecord[],
): Promise<ObservedTermination> {
  const all = records.flatMap((record) => instanceOf(record) ?? []);
  const shifted = all.length === 0 ? new Set<string>() : await observeShifts(ports.cloud, cluster);
  const ids = all.filter(({ zone }) => !shifted.has(zone)).map(({ id }) => id);
  const [nodes, instances] = await Promise.all([
    records.length === 0 ? [] : ports.cluster.listNodes(),
    ids.length === 0 ? [] : ports.cloud.describeInstances(cluster, ids),
  ]);
  return {
    nodes,
    instances: new Map(instances.map((one) => [one.id, one])),
    shifted,
    volumes: observeVolumes(ports),
    budgets: sharedRead(async () => ports.cluster.listPodDisruptionBudgets()),
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
  const providerId = instance === undefined ? undefined : providerIdOf(instance);
  const node = providerId === undefined ? undefined : world.nodes.find((one) => one.spec?.providerID === providerId);
  const pods = node === undefined ? [] : await ports.cluster.listPodsOnNode(node.metadata.name);
  const listed = world.instances.get(instance?.id ?? '');
  const zoneShifted = instance !== undefined && world.shifted.has(instance.zone);
  const instanceState = listed?.state === 'shutting-down' ? 'shutting-down' : 'alive';
  const { ignoreAtZero } = ports.settings;
  const nowMs = ports.clock.now();
  const awaited = node !== undefined && instanceState === 'alive' && awaitsVolumes(record, pods, nowMs);
  return {
    record,
    pods,
    ...((await goesLast(ports, { record, pods }, world)) && { ignoreAtZero }),
    ...optional({ node }),
    ...(awaited && { volumes: await volumesOf(world.volumes, { record, node, pods }, nowMs) }),
    ...(listed === undefined && !zoneShifted ? {} : ({ instanceState } as const)),
    ...(zoneShifted ? { zoneShifted } : {}),
    ...optional({ untagged: listed?.untagged }),
  };
}

/**
 * Whether the node is one of the last nodes of a cluster at rest. An earlier decision is checked again, because a pod may have
 * been bound to a node before it was cordoned.
 */
async function goesLast(
  ports: TerminationViewPorts,
  { record, pods }: Pick<TerminationView, 'record' | 'pods'>,
  world: ObservedTermination,
): Promise<boolean> {
  if (record.deletion?.atRest !== true && world.nodes.some(acceptsPods)) return false;
  const { ignoreAtZero } = ports.settings;
  const nowMs = ports.clock.now();
  if (!pods.some((pod) => canWait(pod, ignoreAtZero, nowMs))) return false;
  if (!runsNothingElse({ pods, ignoreAtZero }, nowMs)) return false;
  world.rests ??= observeRest(ports, record.cluster);
  return await world.rests;
}

async function observeRest(
  { cluster: api, store, settings, clock }: TerminationViewPorts,
  cluster: string,
): Promise<boolean> {
  const [pods, records] = await Promise.all([api.listPods(), store.listNodeClaims(cluster)]);
  const isLaunching = records.some(({ deletion, initializedAtMs }) => (deletion ?? initializedAtMs) === undefined);
  return !isLaunching && isAtRest({ pods, ignoreAtZero: settings.ignoreAtZero }, clock.now());
}

function acceptsPods({ metadata, spec }: Node): boolean {
  if (metadata.deletionTimestamp !== undefined || spec?.unschedulable === true) return false;
  return spec?.taints?.some((taint) => sameTaint(taint, DISRUPTED_TAINT)) !== true;
}
