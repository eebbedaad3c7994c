/** The Node of a NodeClaim, and the NodeClaim of a Node, as they are in the simulation. */
import type { Node } from '../../../lib/apis/kubernetes.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../../lib/core/model/node-claim-record.ts';
import type { Watched } from '../rule.ts';

export function nodeOf({ simulation }: Pick<Watched, 'simulation'>, record: NodeClaimRecord): Node | undefined {
  const instance = instanceOf(record);
  if (instance === undefined) return undefined;
  return [...simulation().state.nodes.values()].find(({ spec }) => spec?.providerID === providerIdOf(instance));
}

export function recordOf(
  { records }: Pick<Watched, 'records'>,
  providerId: string | undefined,
): NodeClaimRecord | undefined {
  return [...records.values()].find((record) => {
    const instance = instanceOf(record);
    return instance !== undefined && providerIdOf(instance) === providerId;
  });
}

/** A node that was lost and returns is registered and initialized again. */
export function losesNodes({ story }: Pick<Watched, 'story'>): boolean {
  return story.faults.some((one) => one.kind === 'by-hand' && one.what === 'lose-node');
}
