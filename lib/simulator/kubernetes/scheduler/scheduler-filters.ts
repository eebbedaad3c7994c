import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '../../../apis/kubernetes.ts';
import { untoleratedTaint } from '../../../apis/taints.ts';
import { type NodeLabels, nodeLabelOf, type SchedulerNode } from './scheduler-node.ts';
import type { PodKind, SimulatedHostPort } from './scheduler-pod-kind.ts';

/**
 * The filters of the Kubernetes default scheduler that depend on one node only: TaintToleration, NodeAffinity,
 * NodeResourcesFit and NodePorts. They share no code with the engine, because they verify its plans.
 */

/** Whether the taints and labels of the node fit the pods, independent of its free resources. Constant until the node changes. */
export function admitsKind(node: SchedulerNode, kind: PodKind): boolean {
  return toleratesTaints(node, kind.spec) && matchesNodeAffinity(node, kind.spec);
}

/** Whether the node has resources and ports for one more of these pods. */
export function nodeHasRoom(node: SchedulerNode, kind: PodKind): boolean {
  return fitsResources(node, kind) && hasPortsFree(node, kind);
}

/** TaintToleration. PreferNoSchedule affects the score only. */
export function toleratesTaints(node: SchedulerNode, { tolerations }: Pick<PodSpec, 'tolerations'>): boolean {
  if (node.taints.length === 0) return true;
  const hard = node.taints.filter((taint) => taint.effect !== 'PreferNoSchedule');
  return untoleratedTaint(hard, tolerations) === undefined;
}

/** NodeAffinity: the nodeSelector, and at least one of the required terms. */
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

/** Whether the node matches the term. An empty term matches no node. */
export function matchesTerm(node: NodeLabels, { matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  return (
    matchExpressions.length + matchFields.length > 0 &&
    matchExpressions.every((one) => meets(one, nodeLabelOf(node, one.key))) &&
    matchFields.every((one) => meets(one, one.key === 'metadata.name' ? node.name : undefined))
  );
}

/** NodeResourcesFit: only requested resources count. */
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

/** 0.0.0.0 means every address. */
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

/** Compares two integers; false if one of them is not an integer. */
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
