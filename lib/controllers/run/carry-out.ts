import { parseDuration } from '../../apis/formats/duration.ts';
import type { Action, Blocked, Decision } from '../../core/model/decision.ts';
import type { Deletion, NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { tagged } from '../../core/node-claim/tagging.ts';
import type { Messages } from '../../ports/messages.ts';
import { launchInstance } from '../instances/launch-instance.ts';
import type { ControllerPorts } from './ports.ts';

/**
 * Act: every action of a recorded decision, in order. Each is idempotent: carried out twice, by anyone, it leaves the world
 * as once. *Shape:* what the cluster did not allow just now: evictions that a PodDisruptionBudget forbids. *Errors:* the first
 * failure of a port ends it; what is left is carried out by whoever looks next.
 */
export async function carryOut(ports: ControllerPorts, decision: Decision): Promise<readonly Blocked[]> {
  const blocked: Blocked[] = [];
  for (const action of decision.actions) {
    if (action.kind === 'evict-pod') blocked.push(...(await evictPod(ports, action)));
    else await carryOutOne(ports, decision.cluster, action);
  }
  return blocked;
}

/** Actions that need no cluster API: what a function may do that only hears of instances. */
export type OffClusterAction = Of<'mark-unavailable'> | Of<'delete-node-claim'>;

export async function carryOutOffCluster(
  ports: Pick<ControllerPorts, 'store' | 'catalogue' | 'messages' | 'clock'>,
  cluster: string,
  action: OffClusterAction,
): Promise<void> {
  if (action.kind === 'mark-unavailable') await ports.catalogue.markUnavailable([action.offering]);
  else await markNodeClaimDeleted(ports, cluster, action);
}

async function carryOutOne(
  ports: ControllerPorts,
  cluster: string,
  action: Exclude<Action, Of<'evict-pod'>>,
): Promise<void> {
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
      return ports.cloud.terminate(cluster, action.instanceId);
    case 'release-node-claim':
      return releaseNodeClaim(ports, cluster, action);
    case 'delete-node-claim':
    case 'mark-unavailable':
      return carryOutOffCluster(ports, cluster, action);
  }
}

type Of<Kind extends Action['kind']> = Action & { readonly kind: Kind };

/** D18: from the first request on; a later one changes neither reason nor deadline, unless the deadline is a nearer one. */
export async function markNodeClaimDeleted(
  ports: Pick<ControllerPorts, 'store' | 'clock'> & { readonly messages: Pick<Messages, 'wake'> },
  cluster: string,
  action: Of<'delete-node-claim'>,
): Promise<void> {
  const { store, messages, clock } = ports;
  const record = await store.readNodeClaim(cluster, action.nodeClaim);
  if (record === undefined || record.releasedAtMs !== undefined) return;
  const deletion = deletionOf(record, action, clock.now());
  if (deletion !== record.deletion) await store.updateNodeClaim({ ...record, deletion });
  await messages.wake('termination', { cluster, reason: action.reason, nodeClaim: record.name });
  // Pods that must move need their new place before they are evicted (B7).
  await messages.wake('provisioning', { cluster, reason: action.reason });
}

function deletionOf(record: NodeClaimRecord, action: Of<'delete-node-claim'>, nowMs: number): Deletion {
  const { reason, message, deadlineMs, atRest } = action;
  const { deletion } = record;
  if (deletion !== undefined) {
    const nearer = deadlineMs !== undefined && deadlineMs < (deletion.deadlineMs ?? Infinity);
    return nearer ? { ...deletion, deadlineMs } : deletion;
  }
  const grace = record.spec.terminationGracePeriod;
  const graceMs = grace === undefined ? undefined : parseDuration(grace);
  const latestMs = deadlineMs ?? (graceMs === undefined ? undefined : nowMs + graceMs);
  return {
    reason,
    message,
    requestedAtMs: nowMs,
    ...(latestMs === undefined ? {} : { deadlineMs: latestMs }),
    ...(atRest === undefined ? {} : { atRest }),
  };
}

/** A PodDisruptionBudget that says no is no failure: termination looks again. */
async function evictPod(ports: ControllerPorts, { pod, force }: Of<'evict-pod'>): Promise<readonly Blocked[]> {
  if (force !== undefined) {
    await ports.cluster.deletePod(pod, force.graceSeconds);
    return [];
  }
  const outcome = await ports.cluster.evictPod(pod);
  if (outcome.kind !== 'blocked') return [];
  const subject = { kind: 'Pod', namespace: pod.namespace, name: pod.name } as const;
  return [{ subject, reason: 'PDB', message: outcome.message, numbers: {} }];
}

/** The record last: an instance whose tags were not written is tagged again. */
async function tagInstance(
  { cloud, store }: Pick<ControllerPorts, 'cloud' | 'store'>,
  cluster: string,
  { nodeClaim, instanceId, tags }: Of<'tag-instance'>,
): Promise<void> {
  await cloud.tagInstance(cluster, instanceId, tags);
  const record = await store.readNodeClaim(cluster, nodeClaim);
  if (record !== undefined && record.releasedAtMs === undefined) await store.updateNodeClaim(tagged(record));
}

/** Node first, mirror second, record last: whoever repeats it finds the record until all else is gone. */
async function releaseNodeClaim(
  ports: ControllerPorts,
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
  // What it held of its pool's limits is free again.
  await ports.messages.wake('provisioning', { cluster, reason: 'released' });
}
