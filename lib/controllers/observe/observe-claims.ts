import { amiFamilyOf } from '../../apis/ec2-node-class.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { instanceLabels } from '../../core/instance-type/instance-labels.ts';
import type { LearnedMemory } from '../../core/model/learned-memory.ts';
import { type Instance, instanceOf, type NodeClaimRecord, providerIdOf } from '../../core/model/node-claim-record.ts';
import type { NodeClaimView } from '../../core/node-claim/lifecycle.ts';
import { isRegistered } from '../../core/node-claim/registration.ts';
import { requirementsFromValues, singleValues } from '../../core/requirements/requirements.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';
import type { SeenNodes } from '../run/fresh-state.ts';
import type {
  HasClock,
  HasSettings,
  InspectsInstances,
  ReadsCluster,
  ReadsZonalShifts,
  UsesCatalogue,
} from '../run/ports.ts';
import { type LaunchContextPorts, type ObservedLaunches, observeLaunchContext } from './observe-launch-context.ts';
import { isMissing, readMissing } from './observe-missing.ts';
import { observeShifts } from './observe-unavailable.ts';
import { type SharedRead, sharedRead } from './shared-read.ts';

/** The observed state that all claims of one run share. */
export interface ObservedClaims extends SeenNodes, ObservedLaunches {
  readonly mirrors: readonly NodeClaim[];
  readonly nodePools: readonly NodePool[];
  /** The time before the list of instances was read. */
  readonly listedAtMs: number;
  /** Without instances that are shutting down. */
  readonly instances: readonly DescribedInstance[];
  /** The instances that run although the list omits them: they have lost their tags. */
  readonly missing: SharedRead<readonly DescribedInstance[]>;
  /** C36: in these zones, an instance that EC2 does not list may still run. */
  readonly shifted: ReadonlySet<string>;
  /** Read when the first node is registered. */
  readonly catalogue: SharedRead<Catalogue | undefined>;
  readonly learnedMemory: SharedRead<readonly LearnedMemory[]>;
}

export async function observeWorld(
  ports: ReadsCluster & InspectsInstances & ReadsZonalShifts & UsesCatalogue & HasClock,
  { cluster, records }: { readonly cluster: string; readonly records: readonly NodeClaimRecord[] },
): Promise<ObservedClaims> {
  const listedAtMs = ports.clock.now();
  const [nodes, mirrors, nodeClasses, nodePools, instances, shifted] = await Promise.all([
    ports.cluster.listNodes(),
    ports.cluster.listNodeClaims(),
    ports.cluster.listNodeClasses(),
    ports.cluster.listNodePools(),
    ports.cloud.describeInstances(cluster),
    observeShifts(ports.cloud, cluster),
  ]);
  const alive = instances.filter(({ state }) => state !== 'shutting-down');
  const list = { listedAtMs, instances: alive, shifted };
  return {
    nodes,
    mirrors,
    nodeClasses,
    nodePools,
    ...list,
    missing: readMissing(ports, { cluster, records }, list),
    contexts: new Map(),
    inFlight: new Map(),
    catalogue: sharedRead(async () => ports.catalogue.readCatalogue()),
    learnedMemory: sharedRead(async () => ports.catalogue.listLearnedMemory(ports.clock.now())),
  };
}

/** The view of one claim for the decisions of lifecycle. */
export async function viewOf(
  ports: LaunchContextPorts & HasSettings,
  record: NodeClaimRecord,
  world: ObservedClaims,
): Promise<NodeClaimView> {
  const instance = instanceOf(record);
  const providerId = instance === undefined ? undefined : providerIdOf(instance);
  const node = providerId === undefined ? undefined : world.nodes.find((one) => one.spec?.providerID === providerId);
  const tagged = world.instances.find(({ nodeClaim }) => nodeClaim === record.name);
  const mirror = world.mirrors.find((one) => one.metadata.name === record.name);
  const unlisted = isMissing(record, world) ? await world.missing() : [];
  const running = unlisted.find(({ id }) => id === instance?.id);
  return {
    record,
    ...optional({ node }),
    deleteRequested: mirror?.metadata.deletionTimestamp !== undefined,
    mirrorUid: mirror?.metadata.uid,
    listedAtMs: world.listedAtMs,
    instanceListed: instance !== undefined && (running !== undefined || mayRun(instance, world)),
    ...optional({ instanceUntagged: running?.untagged }),
    ...optional({ taggedInstance: tagged }),
    ...(node === undefined || isRegistered(node)
      ? { instanceLabels: {}, learnedMemory: [] }
      : await registrationFacts(record, world)),
    initializationTimeoutMs: ports.settings.initializationTimeoutMs,
    launchContext: await observeLaunchContext(ports, record, world),
  };
}

function mayRun({ id, zone }: Instance, { instances, shifted }: ObservedClaims): boolean {
  return shifted.has(zone) || instances.some((one) => one.id === id);
}

async function registrationFacts(
  record: NodeClaimRecord,
  world: ObservedClaims,
): Promise<Pick<NodeClaimView, 'instanceLabels' | 'learnedMemory'>> {
  const learnedMemory = await world.learnedMemory();
  return { instanceLabels: await labelsFromCatalogue(record, world), learnedMemory };
}

/** C15–C24: the labels of the instance's type. */
async function labelsFromCatalogue(record: NodeClaimRecord, world: ObservedClaims): Promise<Labels> {
  const catalogue = await world.catalogue();
  const nodeClass = world.nodeClasses.find((one) => one.metadata.name === record.spec.nodeClassRef.name);
  const facts = catalogue?.facts.find((one) => one.name === instanceOf(record)?.instanceType);
  if (facts === undefined) return {};
  const values = instanceLabels(facts, nodeClass === undefined ? 'Custom' : amiFamilyOf(nodeClass));
  return singleValues(requirementsFromValues(values));
}
