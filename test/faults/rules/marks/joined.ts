import type { Node } from '../../../../lib/apis/kubernetes.ts';
import { CAPACITY_TYPE, INITIALIZED, NODE_POOL, REGISTERED } from '../../../../lib/apis/labels.ts';
import { sameTaint } from '../../../../lib/apis/taints.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../../../lib/core/model/node-claim-record.ts';
import type { RuleOf } from '../../rule.ts';

/** A label of the instance type, for all. */
const OF_TYPE = 'karpenter.k8s.aws/instance-family';

/** A registered node has the labels and taints of its NodeClaim, and an initialized node those of its instance type (D5, C15). */
export const joinedNodesAreComplete: RuleOf = ({ violate, records }) => ({
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
});

function isOf(record: NodeClaimRecord, { spec }: Node): boolean {
  const instance = instanceOf(record);
  return instance !== undefined && providerIdOf(instance) === spec?.providerID;
}

function gains(label: string, before: Node, after: Node): boolean {
  return before.metadata.labels?.[label] !== 'true' && after.metadata.labels?.[label] === 'true';
}

function missingAtRegistration({ labels, spec }: NodeClaimRecord, after: Node): readonly string[] {
  const has = after.metadata.labels ?? {};
  return [
    ...[NODE_POOL, CAPACITY_TYPE].filter((key) => has[key] === undefined),
    ...Object.keys(labels).filter((key) => has[key] !== labels[key]),
    ...(spec.taints ?? [])
      .filter((taint) => after.spec?.taints?.some((one) => sameTaint(one, taint)) !== true)
      .map(({ key }) => `the taint ${key}`),
  ];
}
