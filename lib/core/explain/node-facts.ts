import { formatDuration } from '../../apis/formats/duration.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../apis/labels.ts';
import { UNDERUTILIZED_TAINT } from '../../apis/taints.ts';
import { freeResources, type StateNode } from '../cluster/state-node.ts';
import { nodePrice } from '../disruption/node-price.ts';
import { isUsedLast } from '../disruption/soft-taints.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { formatAmount } from '../resources/resources.ts';
import { usdPerHour } from '../usd-per-hour.ts';
import type { Explanation } from './explanation.ts';

type Facts = Explanation['facts'];

/** What a node is: NodePool, instance, price, age, and what its pods request. */
export function nodeFacts(stateNode: StateNode, { nodePools }: ClusterSnapshot, nowMs: number): Facts {
  const { labels, nodePool, nodeClaim, node } = stateNode;
  const instance = [labels[INSTANCE_TYPE], labels[CAPACITY_TYPE], labels[ZONE]].filter((one) => one !== undefined);
  const price = nodeClaim === undefined ? 0 : nodePrice(stateNode, nodePools);
  return [
    ...fact('NodePool', nodePool),
    ...fact('NodeClaim', nodeClaim?.name === stateNode.name ? undefined : nodeClaim?.name),
    ...fact('instance', instance.length === 0 ? undefined : instance.join(', ')),
    ...fact('price', price === 0 ? undefined : usdPerHour(price)),
    ...fact('age', nodeClaim && formatDuration(Math.max(0, nowMs - nodeClaim.createdAtMs))),
    ...fact('requested', node === undefined ? undefined : requestedOf(stateNode)),
    ...fact('new pods', node !== undefined && isUsedLast(node) ? USED_LAST : undefined),
    ...fact('drift', nodeClaim?.drift && `${nodeClaim.drift.reason}: ${nodeClaim.drift.message}`),
  ];
}

const USED_LAST = `the kube-scheduler uses it last (taint ${UNDERUTILIZED_TAINT.key}): its pods are worth less of its price than those of others, or it has drifted`;

function fact(name: string, value: string | undefined): Facts {
  return value === undefined ? [] : [[name, value]];
}

/** `3500m of 3920m cpu, 7Gi of 14Gi memory, 12 pods`. */
function requestedOf(stateNode: StateNode): string {
  const free = freeResources(stateNode);
  const shares = ['cpu', 'memory'].map((name) => {
    const all = stateNode.allocatable[name] ?? 0;
    return `${formatAmount(name, all - (free[name] ?? 0))} of ${formatAmount(name, all)} ${name}`;
  });
  return `${shares.join(', ')}, ${stateNode.pods.length} ${stateNode.pods.length === 1 ? 'pod' : 'pods'}`;
}
