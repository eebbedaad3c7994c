import type { Pod } from '../../../apis/kubernetes.ts';
import type { StateNode } from '../../../core/cluster/state-node.ts';
import { nodePrice } from '../../../core/disruption/node-price.ts';
import type { DisruptionPlan } from '../../../core/disruption/plan-disruption.ts';
import { instanceOf } from '../../../core/model/node-claim-record.ts';
import { totalUsd } from '../../render/format-money.ts';
import { savings } from './disruption-output.ts';
import { evictedFrom, evictionsOf } from './render-commands.ts';

/** D31: the nodes with an instance that a static NodePool has beyond `spec.replicas`. */
export function surplusNodes({ nodes, surplus }: DisruptionPlan): readonly StateNode[] {
  const names = new Set(surplus.map(({ nodeClaim }) => nodeClaim));
  return nodes.filter(({ nodeClaim }) => nodeClaim && names.has(nodeClaim.name) && instanceOf(nodeClaim) !== undefined);
}

/** What the cluster costs less when the surplus is deleted and the commands are carried out. *Units:* USD per hour. */
export function plannedSavings(plan: DisruptionPlan): number {
  const prices = surplusNodes(plan).map((node) => nodePrice(node, plan.nodePools));
  return totalUsd([...prices, savings(plan.commands)]);
}

/** The pods that the plan evicts and that need another node. */
export function plannedEvictions(plan: DisruptionPlan): readonly Pod[] {
  const byName = new Map(plan.nodes.map((node) => [node.name, node]));
  return [...surplusNodes(plan).flatMap(evictedFrom), ...evictionsOf(plan.commands, (name) => byName.get(name))];
}
