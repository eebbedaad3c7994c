import type { Action, Blocked, Decision } from '../../core/model/decision.ts';
import { tagged } from '../../core/node-claim/tagging.ts';
import { launchInstance } from '../instances/launch-instance.ts';
import { terminateInstance } from '../instances/terminate-instance.ts';
import { markNodeClaimDeleted } from './mark-deleted.ts';
import type {
  HasClock,
  Launches,
  SendsWakes,
  UsesCatalogue,
  UsesCommands,
  UsesNominations,
  WritesClaims,
  WritesCluster,
} from './ports.ts';

/** What the actions of any decision need. */
export type ActPorts = OffClusterPorts & WritesCluster & Launches & UsesCommands & UsesNominations;

/** What an `OffClusterAction` needs. */
export type OffClusterPorts = WritesClaims & UsesCatalogue & SendsWakes & HasClock;

/**
 * Carries out the actions of a recorded decision, in order. Each action is idempotent: any function can repeat it.
 * *Shape:* the evictions that a PodDisruptionBudget refused. *Errors:* the first failure of a port; the next run carries out
 * the remaining actions.
 */
export async function carryOut(ports: ActPorts, decision: Decision): Promise<readonly Blocked[]> {
  const blocked: Blocked[] = [];
  for (const action of decision.actions) {
    if (action.kind === 'evict-pod') blocked.push(...(await evictPod(ports, action)));
    else await carryOutOne(ports, decision.cluster, action);
  }
  return blocked;
}

/** Actions that do not need the cluster API. The interruption function, which has no access to clusters, can carry them out. */
export type OffClusterAction = Of<'mark-unavailable'> | Of<'delete-node-claim'>;

export async function carryOutOffCluster(
  ports: OffClusterPorts,
  cluster: string,
  action: OffClusterAction,
): Promise<void> {
  if (action.kind === 'mark-unavailable') await ports.catalogue.markUnavailable([action.offering]);
  else await markNodeClaimDeleted(ports, cluster, action);
}

async function carryOutOne(ports: ActPorts, cluster: string, action: Exclude<Action, Of<'evict-pod'>>): Promise<void> {
  const { store, messages } = ports;
  switch (action.kind) {
    case 'create-node-claim':
      await store.createNodeClaim(action.nodeClaim);
      return messages.wake('lifecycle', { cluster, reason: 'created', nodeClaim: action.nodeClaim.name });
    case 'nominate-node':
      return store.nominate(cluster, { node: action.node, untilMs: action.untilMs });
    case 'launch-instance':
      return launchInstance(ports, cluster, action);
    case 'register-node':
    case 'initialize-node':
    case 'cordon-node':
      return ports.cluster.patchNode(action.node, action.patch);
    case 'learn-memory':
      return ports.catalogue.learnMemory(action.lesson, ports.clock.now());
    case 'start-disruption':
      return store.startCommand(cluster, action.command);
    case 'end-disruption':
      return store.endCommand(cluster, action.command);
    case 'tag-instance':
      return tagInstance(ports, cluster, action);
    case 'terminate-instance':
      return terminateInstance(ports, cluster, action);
    case 'release-node-claim':
      return releaseNodeClaim(ports, cluster, action);
    case 'delete-node-claim':
    case 'mark-unavailable':
      return carryOutOffCluster(ports, cluster, action);
  }
}

type Of<Kind extends Action['kind']> = Action & { readonly kind: Kind };

/** A refusal by a PodDisruptionBudget is not a failure: termination tries again. */
async function evictPod(ports: WritesCluster, { pod, force }: Of<'evict-pod'>): Promise<readonly Blocked[]> {
  if (force !== undefined) {
    await ports.cluster.deletePod(pod, force.graceSeconds);
    return [];
  }
  const outcome = await ports.cluster.evictPod(pod);
  if (outcome.kind !== 'blocked') return [];
  const subject = { kind: 'Pod', namespace: pod.namespace, name: pod.name } as const;
  return [{ subject, reason: 'PDB', message: outcome.message, numbers: {} }];
}

/** The record is written last: an instance whose tags were not written is tagged again. */
async function tagInstance(
  { cloud, store }: Launches & WritesClaims,
  cluster: string,
  { nodeClaim, instanceId, tags }: Of<'tag-instance'>,
): Promise<void> {
  // Read again: the run may have written the record since it listed it.
  const record = await store.readNodeClaim(cluster, nodeClaim);
  if (record === undefined || (record.deletion ?? record.releasedAtMs) !== undefined) return;
  await cloud.tagInstance(cluster, instanceId, tags);
  await store.updateNodeClaim(tagged(record));
}

/** Removes node, mirror and record in this order, so that a repeated call finds the record until the rest is removed. */
async function releaseNodeClaim(
  ports: WritesCluster & WritesClaims & SendsWakes,
  cluster: string,
  action: Of<'release-node-claim'>,
): Promise<void> {
  if (action.node !== undefined) {
    await ports.cluster.patchNode(action.node, { finalizers: action.finalizers ?? [] });
    await ports.cluster.deleteNode(action.node.name);
  }
  await ports.cluster.removeNodeClaim(action.nodeClaim);
  const record = await ports.store.readNodeClaim(cluster, action.nodeClaim);
  if (record === undefined || record.releasedAtMs !== undefined) return;
  await ports.store.updateNodeClaim({ ...record, releasedAtMs: action.atMs });
  // The resources of the claim no longer count towards the limits of its NodePool.
  await ports.messages.wake('provisioning', { cluster, reason: 'released' });
}
