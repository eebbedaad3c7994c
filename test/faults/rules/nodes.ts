/** The Node of a NodeClaim, and the NodeClaim of a Node, as they are in the simulation. */
import type { Node } from '../../../lib/apis/kubernetes.ts';
import { INITIALIZED, REGISTERED } from '../../../lib/apis/labels.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../../lib/core/model/node-claim-record.ts';
import { isRegistered } from '../../../lib/core/node-claim/registration.ts';
import { isByHand, type Watched } from '../rule.ts';

export function nodeOf({ simulation }: Pick<Watched, 'simulation'>, record: NodeClaimRecord): Node | undefined {
  const instance = instanceOf(record);
  if (instance === undefined) return undefined;
  return [...simulation().state.nodes.values()].find(({ spec }) => spec?.providerID === providerIdOf(instance));
}

/** Whether the instance has a registered Node: pods may run on it. */
export function isRegisteredInstance({ simulation }: Pick<Watched, 'simulation'>, id: string): boolean {
  return [...simulation().state.nodes.values()].some(
    (node) => node.spec?.providerID?.endsWith(`/${id}`) === true && isRegistered(node),
  );
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

/**
 * Whether pods may run on the node. A run that deletes the NodeClaim may come between the label of the registration and its record,
 * and the record then stays without it.
 */
export function mayHavePods({ registeredAtMs }: NodeClaimRecord, { metadata }: Node): boolean {
  return registeredAtMs !== undefined || metadata.labels?.[REGISTERED] === 'true';
}

/** Whether the node counts in the budgets of its NodePool: a run writes its label before its record, and the record may be refused. */
export function isInitialized(watched: Pick<Watched, 'simulation'>, record: NodeClaimRecord): boolean {
  return record.initializedAtMs !== undefined || hasInitializedNode(watched, record);
}

/** Whether there is a Node of the claim now, with the label of its initialization. */
export function hasInitializedNode(watched: Pick<Watched, 'simulation'>, record: NodeClaimRecord): boolean {
  return nodeOf(watched, record)?.metadata.labels?.[INITIALIZED] === 'true';
}

/** A node that was lost and returns is registered and initialized again. */
export function losesNodes({ story }: Pick<Watched, 'story'>): boolean {
  return isByHand(story, 'lose-node');
}
