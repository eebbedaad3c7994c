import { amiFamilyOf, type EC2NodeClass } from '../apis/ec2-node-class.ts';
import type { Labels } from '../apis/kubernetes.ts';
import type { Decision, Due, UnavailableOffering } from '../core/action.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';
import { instanceLabels } from '../core/instance-type/instance-labels.ts';
import { decideLifecycle, type NodeClaimView } from '../core/node-claim/lifecycle.ts';
import { mirrorOf } from '../core/node-claim/mirror.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../core/node-claim/record.ts';
import { isRegistered } from '../core/node-claim/registration.ts';
import { requirementsFromValues, singleValues } from '../core/requirements/requirements.ts';
import type { Wake } from '../ports/messages.ts';
import { announce } from './announce.ts';
import { carryOut } from './carry-out.ts';
import { eachClaim } from './each-claim.ts';
import { findClaims } from './find-claims.ts';
import type { ControllerPorts, RunReport } from './ports.ts';
import { armWakeUp } from './wake-up.ts';

/** How many launches one invocation tries for a claim before it leaves the rest to the next. */
const MOST_STEPS = 12;

/** NodeClaims → instances → registered and initialized nodes; and giving up what does not get there. */
export async function reconcileLifecycle(ports: ControllerPorts, wake: Wake): Promise<RunReport> {
  const { cluster } = wake;
  const records = await findClaims(ports, wake);
  const decisions: Decision[] = [];
  const world = records.length === 0 ? undefined : await observeWorld(ports, cluster);
  const { due, failures } = await eachClaim(records, ports.clock.now(), async (record) => {
    if (world === undefined) return [];
    return advance(ports, { record, world, decisions });
  });
  await armWakeUp(ports, 'lifecycle', { cluster, due });
  return { controller: 'lifecycle', cluster, decisions, due, gauges: {}, failures };
}

/** What all claims of one run are seen against. */
interface World {
  readonly nodes: Awaited<ReturnType<ControllerPorts['cluster']['listNodes']>>;
  readonly mirrors: Awaited<ReturnType<ControllerPorts['cluster']['listNodeClaims']>>;
  readonly nodeClasses: readonly EC2NodeClass[];
  readonly instanceIds: ReadonlySet<string>;
  readonly contexts: Map<string, NodeClaimView['launchContext']>;
  /** Read when the first node has to be registered. */
  catalogue: Catalogue | undefined;
}

async function observeWorld(ports: ControllerPorts, cluster: string): Promise<World> {
  const [nodes, mirrors, nodeClasses, instances] = await Promise.all([
    ports.cluster.listNodes(),
    ports.cluster.listNodeClaims(),
    ports.cluster.listNodeClasses(),
    ports.cloud.describeInstances(cluster),
  ]);
  const instanceIds = new Set(instances.filter(({ state }) => state !== 'shutting-down').map(({ id }) => id));
  return { nodes, mirrors, nodeClasses, instanceIds, contexts: new Map(), catalogue: undefined };
}

interface Claim {
  readonly record: NodeClaimRecord;
  readonly world: World;
  readonly decisions: Decision[];
}

/** Step after step as long as launches are refused: the next-best offering is tried within the same invocation. */
async function advance(ports: ControllerPorts, claim: Claim): Promise<readonly Due[]> {
  const { world, decisions } = claim;
  let { record } = claim;
  let due: readonly Due[] = [];
  let changed = !world.mirrors.some((mirror) => mirror.metadata.name === record.name);
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const nowMs = ports.clock.now();
    const verdict = decideLifecycle(await viewOf(ports, record, world), nowMs);
    ({ due } = verdict);
    const { actions, blocked } = verdict;
    if (actions.length === 0 && blocked.length === 0) break;
    const { cluster, name, version } = record;
    const decision: Decision = {
      id: `${name}-v${version}`,
      cluster,
      controller: 'lifecycle',
      atMs: nowMs,
      actions,
      blocked,
    };
    if (verdict.record !== record) record = await ports.store.updateNodeClaim(verdict.record);
    await carryOut(ports, decision);
    decisions.push(decision);
    if (actions.length === 0) break;
    await announce(ports, decision);
    changed = true;
    record = (await ports.store.readNodeClaim(cluster, name)) ?? record;
    if (record.launch.kind === 'launched' || record.deletion !== undefined) break;
  }
  if (changed && record.releasedAtMs === undefined) await ports.cluster.applyNodeClaim(mirrorOf(record));
  return due;
}

async function viewOf(ports: ControllerPorts, record: NodeClaimRecord, world: World): Promise<NodeClaimView> {
  const instance = instanceOf(record);
  const providerId = instance === undefined ? undefined : providerIdOf(instance);
  const node = providerId === undefined ? undefined : world.nodes.find((one) => one.spec?.providerID === providerId);
  const mirror = world.mirrors.find((one) => one.metadata.name === record.name);
  return {
    record,
    ...(node === undefined ? {} : { node }),
    deleteRequested: mirror?.metadata.deletionTimestamp !== undefined,
    instanceListed: instance !== undefined && world.instanceIds.has(instance.id),
    instanceLabels: node === undefined || isRegistered(node) ? {} : await labelsFromCatalogue(ports, record, world),
    launchContext: await launchContext(ports, record, world),
  };
}

/** C15–C24: the labels of the instance's type. */
async function labelsFromCatalogue(ports: ControllerPorts, record: NodeClaimRecord, world: World): Promise<Labels> {
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
  world: World,
): Promise<NodeClaimView['launchContext']> {
  const { name } = record.spec.nodeClassRef;
  if (record.launch.kind === 'launched' || record.launch.kind === 'requested')
    return { reason: 'NotNeeded', message: 'it is launched' };
  const nodeClass = world.nodeClasses.find((one) => one.metadata.name === name);
  if (nodeClass === undefined)
    return { reason: 'NodeClassNotFound', message: `its EC2NodeClass ${name} does not exist` };
  const unavailable = await ports.catalogue.listUnavailable(ports.clock.now());
  const known = world.contexts.get(name) ?? (await resolve(ports, nodeClass, unavailable));
  world.contexts.set(name, known);
  return 'resolved' in known ? { ...known, unavailable } : known;
}

async function resolve(
  ports: ControllerPorts,
  nodeClass: EC2NodeClass,
  unavailable: readonly UnavailableOffering[],
): Promise<NodeClaimView['launchContext']> {
  const resolution = await ports.cloud.resolveNodeClass(nodeClass);
  if (resolution.kind === 'resolved') return { nodeClass, resolved: resolution.nodeClass, unavailable };
  return { reason: resolution.reason, message: resolution.message };
}
