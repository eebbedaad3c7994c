import type { Blocked } from '../../core/model/decision.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../core/model/node-claim-record.ts';
import type { HeldObject, Installation } from '../../ports/installation.ts';
import type { ReadsClaims } from '../run/ports.ts';

/** Objects with a finalizer of Kerf, and nodes that have not registered. */
export interface HeldObjects {
  /** Those whose finalizer and taints can be removed. */
  readonly free: readonly HeldObject[];
  /**
   * Nodes that are being deleted, or whose NodeClaim is, while the instance may run, and their NodeClaims. Without the finalizers, the Node would
   * end at once, and its pods without an eviction: a NodeClaim that ends takes its Node with it.
   */
  readonly draining: readonly HeldObject[];
}

/** Nodes and claims with a record, readable or not, and classes unless another autoscaler is active. */
export async function heldByKerf(
  { store }: ReadsClaims,
  installation: Installation,
  { cluster, others }: { readonly cluster: string; readonly others: readonly Blocked[] },
): Promise<HeldObjects> {
  const { records, unreadable } = await store.readNodeClaims(cluster);
  const names = new Set([...records, ...unreadable].map(({ name }) => name));
  const listed = await installation.listHeld('Node');
  const claims = (await installation.listHeld('NodeClaim')).filter(({ name }) => names.has(name));
  const providerIds = new Set([...providerIdsOf(records), ...claims.map(({ providerId }) => providerId)]);
  const nodes = listed.filter(({ providerId }) => providerId !== undefined && providerIds.has(providerId));
  const classes = others.length > 0 ? [] : await installation.listHeld('EC2NodeClass');
  const ended = new Set(providerIdsOf(records.filter(isTerminated)));
  const deleted = new Set([...nodes, ...claims].flatMap((one) => (one.isDeleted === true ? one.providerId : [])));
  // No pod runs on a node with the unregistered taint.
  const withPods = new Set(nodes.flatMap((one) => (one.isUnregistered === true ? [] : one.providerId)));
  const drains = ({ providerId = '' }: HeldObject): boolean =>
    deleted.has(providerId) && withPods.has(providerId) && !ended.has(providerId);
  const { true: draining = [], false: free = [] } = Object.groupBy([...nodes, ...claims], (one) => `${drains(one)}`);
  return { free: [...free, ...classes], draining };
}

function providerIdsOf(records: readonly NodeClaimRecord[]): readonly string[] {
  return records.flatMap((record) => instanceOf(record) ?? []).map(providerIdOf);
}

/** Whether EC2 has accepted the termination of the instance, which follows the drain. */
function isTerminated({ deletion }: NodeClaimRecord): boolean {
  return deletion?.terminateRequestedAtMs !== undefined && deletion.terminationRefused === undefined;
}
