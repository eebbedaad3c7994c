import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '../../apis/kubernetes.ts';
import { untoleratedTaint } from '../../apis/taints.ts';
import { nodeLabelOf, type SchedulerNode } from './scheduler-node.ts';
import type { PodKind, SimulatedHostPort } from './scheduler-pod-kind.ts';

/**
 * The filters of Kubernetes's default scheduler that ask about one node alone: TaintToleration, NodeAffinity,
 * NodeResourcesFit and NodePorts. On purpose they share nothing with the engine, whose plans they judge.
 */

/** Whether the pods may be on the node, however full it is: it answers the same until the node changes. */
export function admitsKind(node: SchedulerNode, kind: PodKind): boolean {
  return toleratesTaints(node, kind.spec) && matchesNodeAffinity(node, kind.spec);
}

/** Whether one more such pod has room on the node. */
export function nodeHasRoom(node: SchedulerNode, kind: PodKind): boolean {
  return fitsResources(node, kind) && hasPortsFree(node, kind);
}

/** PreferNoSchedule keeps nobody away; it is a matter of the score. */
export function toleratesTaints(node: SchedulerNode, { tolerations }: Pick<PodSpec, 'tolerations'>): boolean {
  if (node.taints.length === 0) return true;
  const hard = node.taints.filter((taint) => taint.effect !== 'PreferNoSchedule');
  return untoleratedTaint(hard, tolerations) === undefined;
}

/** The nodeSelector, and any one of the required terms. */
export function matchesNodeAffinity(
  node: SchedulerNode,
  { nodeSelector = {}, affinity }: Pick<PodSpec, 'nodeSelector' | 'affinity'>,
): boolean {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    Object.entries(nodeSelector).every(([key, value]) => nodeLabelOf(node, key) === value) &&
    (required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(node, term)))
  );
}

/** A term that asks for nothing matches no node. */
export function matchesTerm(
  node: SchedulerNode,
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
): boolean {
  return (
    matchExpressions.length + matchFields.length > 0 &&
    matchExpressions.every((one) => meets(one, nodeLabelOf(node, one.key))) &&
    matchFields.every((one) => meets(one, one.key === 'metadata.name' ? node.name : undefined))
  );
}

/** What the pod does not ask for may be overdrawn. */
function fitsResources(node: SchedulerNode, { requests }: PodKind): boolean {
  for (const name in requests) {
    const amount = requests[name] ?? 0;
    if (amount > 0 && amount > (node.free.get(name) ?? 0)) return false;
  }
  return true;
}

function hasPortsFree(node: SchedulerNode, { ports }: PodKind): boolean {
  if (ports.length === 0) return true;
  const taken = [...node.pods.keys()].flatMap((other) => other.ports);
  return !ports.some((one) => taken.some((other) => collide(one, other)));
}

/** 0.0.0.0 stands for every address. */
function collide(one: SimulatedHostPort, other: SimulatedHostPort): boolean {
  const sameAddress = one.ip === other.ip || one.ip === '0.0.0.0' || other.ip === '0.0.0.0';
  return sameAddress && one.port === other.port && one.protocol === other.protocol;
}

function meets({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return holds(value, values, (label, bound) => label > bound);
    case 'Gte':
      return holds(value, values, (label, bound) => label >= bound);
    case 'Lt':
      return holds(value, values, (label, bound) => label < bound);
    case 'Lte':
      return holds(value, values, (label, bound) => label <= bound);
  }
}

/** False where either is no whole number. */
function holds(
  value: string | undefined,
  [bound]: readonly string[],
  compare: (label: bigint, bound: bigint) => boolean,
): boolean {
  const [left, right] = [integerOf(value), integerOf(bound)];
  return left !== undefined && right !== undefined && compare(left, right);
}

function integerOf(text = ''): bigint | undefined {
  return /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
}
