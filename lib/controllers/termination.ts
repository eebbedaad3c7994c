import type { Node } from '../apis/kubernetes.ts';
import { TERMINATION_FINALIZER } from '../apis/labels.ts';
import { DISRUPTED_TAINT, sameTaint } from '../apis/taints.ts';
import { canWait, runsNothingElse } from '../core/cluster/at-rest.ts';
import type { Due } from '../core/model/decision.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../core/model/node-claim-record.ts';
import { decideTermination, type TerminationView } from '../core/node-claim/termination.ts';
import type { DescribedInstance } from '../ports/cloud-provider.ts';
import type { Wake } from '../ports/messages.ts';
import { observeShifts } from './observe/observe-unavailable.ts';
import { applyVerdict, type ObjectRun } from './run/apply-verdict.ts';
import { type Aside, eachClaim } from './run/each-claim.ts';
import { findClaims } from './run/find-claims.ts';
import { onFreshState, type SeenNodes } from './run/fresh-state.ts';
import type { ControllerPorts, RunReport } from './run/ports.ts';
import { armWakeUp } from './run/wake-up.ts';

/** NodeClaims to be deleted → drained nodes → terminated instances → nothing left. */
export async function reconcileTermination(ports: ControllerPorts, wake: Wake): Promise<RunReport> {
  const { cluster } = wake;
  const records = (await findClaims(ports, wake)).filter((record) => record.deletion !== undefined);
  const world = await observe(ports, cluster, records);
  const notes: ObjectRun['notes'] = { decisions: [], failures: [] };
  const run: ObjectRun = { ports, controller: 'termination', cluster, notes };
  const { due, failures } = await eachClaim(records, ports.clock.now(), async (known, aside) => {
    const next = await onFreshState(ports, { record: known, seen: world }, async (record) =>
      takeDown(run, { record, world, aside }),
    );
    return next ?? [];
  });
  await armWakeUp(ports, 'termination', { cluster, due });
  const all = [...failures, ...notes.failures];
  return { controller: 'termination', cluster, decisions: notes.decisions, due, gauges: {}, failures: all };
}

/** What all claims of one run are seen against. */
interface TerminationWorld extends SeenNodes {
  readonly instances: ReadonlyMap<string, DescribedInstance>;
  /** C36: what runs there is neither described nor terminated. */
  readonly shifted: ReadonlySet<string>;
  /** Whether nothing runs in the cluster but pods that can wait, nor is to: looked at where it matters, and once. */
  rests?: Promise<boolean>;
}

/** One list of nodes and one of instances, however many claims there are (C51). */
async function observe(
  ports: ControllerPorts,
  cluster: string,
  records: readonly NodeClaimRecord[],
): Promise<TerminationWorld> {
  const all = records.flatMap((record) => instanceOf(record) ?? []);
  const shifted = all.length === 0 ? new Set<string>() : await observeShifts(ports.cloud, cluster);
  const ids = all.filter(({ zone }) => !shifted.has(zone)).map(({ id }) => id);
  const [nodes, instances] = await Promise.all([
    records.length === 0 ? [] : ports.cluster.listNodes(),
    ids.length === 0 ? [] : ports.cloud.describeInstances(cluster, ids),
  ]);
  return { nodes, instances: new Map(instances.map((one) => [one.id, one])), shifted };
}

async function takeDown(
  run: ObjectRun,
  claim: { readonly record: NodeClaimRecord; readonly world: TerminationWorld; readonly aside: Aside },
): Promise<readonly Due[]> {
  const { ports } = run;
  const { record, world, aside } = claim;
  const { name, version } = record;
  const view = await viewOf(ports, record, world);
  const nowMs = ports.clock.now();
  const verdict = decideTermination(view, nowMs);
  const { actions, blocked, due } = verdict;
  await showGoing(ports, view);
  const seen = { record, nodes: view.node === undefined ? [] : [view.node], pods: view.pods };
  const changed = verdict.record === record ? undefined : verdict.record;
  await applyVerdict(run, { name, version, atMs: nowMs, seen, aside }, { record: changed, actions, blocked });
  return due;
}

/**
 * D17, in either direction: what ends the claim ends its object and its node, which our finalizers keep until all is done. The
 * node once it is cordoned, so that the two writes do not get into each other's way.
 */
async function showGoing({ cluster }: ControllerPorts, { record, node }: TerminationView): Promise<void> {
  const { drainStartedAtMs, terminateRequestedAtMs } = record.deletion ?? {};
  if (drainStartedAtMs === undefined && terminateRequestedAtMs === undefined)
    await cluster.deleteNodeClaim(record.name);
  const { deletionTimestamp, finalizers = [], name = '' } = node?.metadata ?? {};
  const isCordoned = node?.spec?.taints?.some((taint) => sameTaint(taint, DISRUPTED_TAINT)) === true;
  if (deletionTimestamp !== undefined || !isCordoned || !finalizers.includes(TERMINATION_FINALIZER)) return;
  await cluster.deleteNode(name);
}

async function viewOf(
  ports: ControllerPorts,
  record: NodeClaimRecord,
  world: TerminationWorld,
): Promise<TerminationView> {
  const instance = instanceOf(record);
  const providerId = instance === undefined ? undefined : providerIdOf(instance);
  const node = providerId === undefined ? undefined : world.nodes.find((one) => one.spec?.providerID === providerId);
  const pods = node === undefined ? [] : await ports.cluster.listPodsOnNode(node.metadata.name);
  const listed = world.instances.get(instance?.id ?? '');
  const zoneShifted = instance !== undefined && world.shifted.has(instance.zone);
  const instanceState = listed?.state === 'shutting-down' ? 'shutting-down' : 'alive';
  const { ignoreAtZero } = ports.settings;
  return {
    record,
    pods,
    ...((await goesLast(ports, { record, pods }, world)) && { ignoreAtZero }),
    ...(node === undefined ? {} : { node }),
    ...(listed === undefined && !zoneShifted ? {} : ({ instanceState } as const)),
    ...(zoneShifted ? { zoneShifted } : {}),
  };
}

/** What was decided of a cluster at rest need not hold any more: a pod may have come to a node before it was cordoned. */
async function goesLast(
  ports: ControllerPorts,
  { record, pods }: Pick<TerminationView, 'record' | 'pods'>,
  world: TerminationWorld,
): Promise<boolean> {
  if (record.deletion?.atRest !== true && world.nodes.some(stays)) return false;
  const { ignoreAtZero } = ports.settings;
  const nowMs = ports.clock.now();
  if (!pods.some((pod) => canWait(pod, ignoreAtZero, nowMs))) return false;
  if (!runsNothingElse({ pods, ignoreAtZero }, nowMs)) return false;
  world.rests ??= isAtRest(ports, record.cluster);
  return await world.rests;
}

async function isAtRest({ cluster: api, store, settings, clock }: ControllerPorts, cluster: string): Promise<boolean> {
  const [pods, records] = await Promise.all([api.listPods(), store.listNodeClaims(cluster)]);
  const isAwaited = records.some(({ deletion, initializedAtMs }) => (deletion ?? initializedAtMs) === undefined);
  return !isAwaited && runsNothingElse({ pods, ignoreAtZero: settings.ignoreAtZero }, clock.now());
}

/** Whether pods of other nodes may find a place on it. */
function stays({ metadata, spec }: Node): boolean {
  if (metadata.deletionTimestamp !== undefined || spec?.unschedulable === true) return false;
  return spec?.taints?.some((taint) => sameTaint(taint, DISRUPTED_TAINT)) !== true;
}
