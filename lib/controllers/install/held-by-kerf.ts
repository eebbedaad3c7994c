import type { Blocked } from '../../core/model/decision.ts';
import { instanceOf, providerIdOf } from '../../core/model/node-claim-record.ts';
import type { HeldObject, Installation } from '../../ports/installation.ts';
import type { ReadsClaims } from '../run/ports.ts';

/** The objects with finalizers that Kerf removes: nodes and claims with a record, readable or not, and classes unless another autoscaler is active. */
export async function heldByKerf(
  { store }: ReadsClaims,
  installation: Installation,
  { cluster, others }: { readonly cluster: string; readonly others: readonly Blocked[] },
): Promise<readonly HeldObject[]> {
  const { records, unreadable } = await store.readNodeClaims(cluster);
  const names = new Set([...records, ...unreadable].map(({ name }) => name));
  const instances = records.flatMap((record) => instanceOf(record) ?? []);
  const nodes = await installation.listHeld('Node');
  const claims = (await installation.listHeld('NodeClaim')).filter(({ name }) => names.has(name));
  const providerIds = new Set([...instances.map(providerIdOf), ...claims.map(({ providerId }) => providerId)]);
  const classes = others.length > 0 ? [] : await installation.listHeld('EC2NodeClass');
  return [
    ...nodes.filter(({ providerId }) => providerId !== undefined && providerIds.has(providerId)),
    ...claims,
    ...classes,
  ];
}
