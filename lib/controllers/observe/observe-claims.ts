import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { instanceLabels } from '../../core/instance-type/instance-labels.ts';
import type { LearnedMemory } from '../../core/model/learned-memory.ts';
import { type Instance, instanceOf, type NodeClaimRecord, providerIdOf } from '../../core/model/node-claim-record.ts';
import type { LaunchContext } from '../../core/node-claim/launch/launch.ts';
import { addressesInFlight } from '../../core/node-claim/launch/launch-subnets.ts';
import type { NodeClaimView, NoLaunchContext } from '../../core/node-claim/lifecycle.ts';
import { isRegistered } from '../../core/node-claim/registration.ts';
import { whyNotUsable } from '../../core/node-class/status/readiness.ts';
import { requirementsFromValues, singleValues } from '../../core/requirements/requirements.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';
import type { SeenNodes } from '../run/fresh-state.ts';
import type { ControllerPorts } from '../run/ports.ts';
import { observeShifts, observeUnavailable } from './observe-unavailable.ts';
import { resolveForLaunch } from './resolve-node-class.ts';

/** What all claims of one run are seen against. */
export interface ObservedClaims extends SeenNodes {
  readonly mirrors: Awaited<ReturnType<ControllerPorts['cluster']['listNodeClaims']>>;
  readonly nodeClasses: readonly EC2NodeClass[];
  readonly nodePools: readonly NodePool[];
  /** When EC2 was asked for its instances. */
  readonly listedAtMs: number;
  /** Those that are not going already. */
  readonly instances: readonly DescribedInstance[];
  /** C36: what EC2 lists there is no proof of anything. */
  readonly shifted: ReadonlySet<string>;
  readonly contexts: Map<string, KnownClass>;
  /** C45: the claims whose launch is under way in this run, by name. */
  readonly inFlight: Map<string, NodeClaimRecord>;
  /** Read when the first node has to be registered. */
  catalogue: Catalogue | undefined;
  learnedMemory: readonly LearnedMemory[] | undefined;
}

/** A NodeClass with what it resolves to, or why it cannot be used just now. */
type KnownClass = Pick<LaunchContext, 'nodeClass' | 'resolved'> | NoLaunchContext;

export async function observeWorld(ports: ControllerPorts, cluster: string): Promise<ObservedClaims> {
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
  return {
    nodes,
    mirrors,
    nodeClasses,
    nodePools,
    listedAtMs,
    instances: alive,
    shifted,
    contexts: new Map(),
    inFlight: new Map(),
    catalogue: undefined,
    learnedMemory: undefined,
  };
}

/** One claim as its lifecycle sees it. */
export async function viewOf(
  ports: ControllerPorts,
  record: NodeClaimRecord,
  world: ObservedClaims,
): Promise<NodeClaimView> {
  const instance = instanceOf(record);
  const providerId = instance === undefined ? undefined : providerIdOf(instance);
  const node = providerId === undefined ? undefined : world.nodes.find((one) => one.spec?.providerID === providerId);
  const tagged = world.instances.find(({ nodeClaim }) => nodeClaim === record.name);
  const mirror = world.mirrors.find((one) => one.metadata.name === record.name);
  return {
    record,
    ...(node === undefined ? {} : { node }),
    deleteRequested: mirror?.metadata.deletionTimestamp !== undefined,
    mirrorUid: mirror?.metadata.uid,
    listedAtMs: world.listedAtMs,
    instanceListed: instance !== undefined && isThere(instance, world),
    ...(tagged === undefined ? {} : { taggedInstance: tagged }),
    ...(node === undefined || isRegistered(node)
      ? { instanceLabels: {}, learnedMemory: [] }
      : await whatRegistrationNeeds(ports, record, world)),
    launchContext: await launchContext(ports, record, world),
  };
}

function isThere({ id, zone }: Instance, { instances, shifted }: ObservedClaims): boolean {
  return shifted.has(zone) || instances.some((one) => one.id === id);
}

async function whatRegistrationNeeds(
  ports: ControllerPorts,
  record: NodeClaimRecord,
  world: ObservedClaims,
): Promise<Pick<NodeClaimView, 'instanceLabels' | 'learnedMemory'>> {
  world.learnedMemory ??= await ports.catalogue.listLearnedMemory(ports.clock.now());
  return { instanceLabels: await labelsFromCatalogue(ports, record, world), learnedMemory: world.learnedMemory };
}

/** C15–C24: the labels of the instance's type. */
async function labelsFromCatalogue(
  ports: ControllerPorts,
  record: NodeClaimRecord,
  world: ObservedClaims,
): Promise<Labels> {
  world.catalogue ??= await ports.catalogue.readCatalogue();
  const nodeClass = world.nodeClasses.find((one) => one.metadata.name === record.spec.nodeClassRef.name);
  const facts = world.catalogue?.facts.find((one) => one.name === instanceOf(record)?.instanceType);
  if (facts === undefined) return {};
  const values = instanceLabels(facts, nodeClass === undefined ? 'Custom' : amiFamilyOf(nodeClass));
  return singleValues(requirementsFromValues(values));
}

/** Resolved once a run for each NodeClass, and only for claims that are still to be launched. */
async function launchContext(
  ports: ControllerPorts,
  record: NodeClaimRecord,
  world: ObservedClaims,
): Promise<NodeClaimView['launchContext']> {
  const { name } = record.spec.nodeClassRef;
  if (record.launch.kind === 'launched' || record.launch.kind === 'requested') return undefined;
  const nodeClass = world.nodeClasses.find((one) => one.metadata.name === name);
  if (nodeClass === undefined)
    return { reason: 'NodeClassNotFound', message: `its EC2NodeClass ${name} does not exist`, gone: true };
  if (nodeClass.metadata.deletionTimestamp !== undefined)
    return { reason: 'NodeClassTerminating', message: `its EC2NodeClass ${name} is being deleted`, gone: true };
  const known = world.contexts.get(name) ?? (await resolve(ports, nodeClass));
  world.contexts.set(name, known);
  if (!('resolved' in known)) return known;
  // Read again for each step: a launch that was refused has just said what is missing.
  const { unavailable } = await observeUnavailable(ports, record.cluster, ports.clock.now());
  return { ...known, unavailable, inFlight: addressesInFlight(world.inFlight.values()) };
}

async function resolve(ports: ControllerPorts, nodeClass: EC2NodeClass): Promise<KnownClass> {
  const unready = whyNotUsable(nodeClass);
  if (unready !== undefined) return unready;
  const resolution = await resolveForLaunch(ports, nodeClass);
  if (resolution.kind === 'resolved') return { nodeClass, resolved: resolution.nodeClass };
  return { reason: resolution.reason, message: resolution.message };
}
