import type { Node } from '../../../../lib/apis/kubernetes.ts';
import { CAPACITY_TYPE, INITIALIZED, NODE_POOL, REGISTERED } from '../../../../lib/apis/labels.ts';
import { sameTaint } from '../../../../lib/apis/taints.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../../../lib/core/model/node-claim-record.ts';
import type { RuleOf } from '../../rule.ts';
import { USER_DOMAIN } from '../../story/cluster.ts';

/** A label of the instance type, for all. */
const OF_TYPE = 'karpenter.k8s.aws/instance-family';

/**
 * A registered node has the labels, annotations and taints of its NodeClaim, and an initialized node those of its instance type (D5, C15). At
 * rest, each node has its NodeClaim as owner: `kubectl` shows it with its NodeClaim (D6).
 */
export const joinedNodesAreComplete: RuleOf = ({ violate, records, simulation }) => ({
  nodePatched(before, after) {
    const record = after && [...records.values()].find((one) => isOf(one, after));
    if (after === undefined || record === undefined) return;
    const missing = [
      ...(gains(REGISTERED, before, after) ? missingAtRegistration(record, after) : []),
      ...(gains(INITIALIZED, before, after) && after.metadata.labels?.[OF_TYPE] === undefined ? [OF_TYPE] : []),
    ];
    if (missing.length > 0)
      violate('a node gets what its NodeClaim has', `node ${after.metadata.name} lacks ${missing.join(', ')}`);
  },
  unsettled: () =>
    [...simulation().state.nodes.values()].flatMap((node) => {
      const record = [...records.values()].find((one) => isOf(one, node));
      if (record?.initializedAtMs === undefined || (record.deletion ?? record.releasedAtMs) !== undefined) return [];
      const isOwned = node.metadata.ownerReferences?.some(({ kind }) => kind === 'NodeClaim') === true;
      return isOwned ? [] : [`node ${node.metadata.name} does not have its NodeClaim as owner`];
    }),
});

function isOf(record: NodeClaimRecord, { spec }: Node): boolean {
  const instance = instanceOf(record);
  return instance !== undefined && providerIdOf(instance) === spec?.providerID;
}

function gains(label: string, before: Node, after: Node): boolean {
  return before.metadata.labels?.[label] !== 'true' && after.metadata.labels?.[label] === 'true';
}

function missingAtRegistration({ labels, annotations, spec }: NodeClaimRecord, after: Node): readonly string[] {
  const [has, annotated] = [after.metadata.labels ?? {}, after.metadata.annotations ?? {}];
  return [
    // Kerf changes those of its own and of Karpenter later.
    ...Object.keys(annotations)
      .filter((key) => key.startsWith(USER_DOMAIN) && annotated[key] !== annotations[key])
      .map((key) => `the annotation ${key}`),
    ...[NODE_POOL, CAPACITY_TYPE].filter((key) => has[key] === undefined),
    ...Object.keys(labels).filter((key) => has[key] !== labels[key]),
    ...(spec.taints ?? [])
      .filter((taint) => after.spec?.taints?.some((one) => sameTaint(one, taint)) !== true)
      .map(({ key }) => `the taint ${key}`),
  ];
}
