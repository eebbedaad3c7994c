import type { Node, Taint } from '../../../apis/kubernetes.ts';
import { currentLabelName, HOSTNAME } from '../../../apis/labels.ts';
import { parseResources, type Resources } from '../../../core/resources/resources.ts';
import type { PodKind } from './scheduler-pod-kind.ts';

/** The name and the labels of a node, as filters read them. */
export interface NodeLabels {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
}

/** A node with its pods in the scheduler's cache. The object stays the same while the node exists. */
export interface SchedulerNode {
  readonly name: string;
  labels: ReadonlyMap<string, string>;
  taints: readonly Taint[];
  allocatable: Resources;
  /** `allocatable` less the requests of the pods. */
  readonly free: Map<string, number>;
  /** The cpu and memory of the pods, where a container without a request counts with a default, for scores only. */
  readonly assumed: { cpu: number; memory: number };
  /** Increases with every change of the node and of its pods. */
  revision: number;
  /** The number of pods of each kind. */
  readonly pods: Map<PodKind, PodCount>;
}

export interface PodCount {
  /** Pods that are not terminating. */
  readonly active: number;
  readonly terminating: number;
}

export function schedulerNode(node: Node): SchedulerNode {
  const made: SchedulerNode = {
    name: node.metadata.name,
    labels: new Map(),
    taints: [],
    allocatable: {},
    free: new Map(),
    assumed: { cpu: 0, memory: 0 },
    revision: 0,
    pods: new Map(),
  };
  readNode(made, node);
  return made;
}

/** Updates labels, taints and resources of the node; its pods stay. */
export function readNode(into: SchedulerNode, node: Node): void {
  into.labels = labelsOfNode(node).labels;
  into.taints = taintsOf(node);
  into.allocatable = parseResources(node.status?.allocatable);
  into.free.clear();
  into.revision += 1;
  into.assumed.cpu = 0;
  into.assumed.memory = 0;
  for (const [name, amount] of Object.entries(into.allocatable)) into.free.set(name, amount);
  for (const [kind, { active, terminating }] of into.pods) takeRoom(into, kind, active + terminating);
}

export function labelsOfNode({ metadata }: Node): NodeLabels {
  const { name, labels } = metadata;
  return { name, labels: new Map(Object.entries({ [HOSTNAME]: name, ...labels })) };
}

/** The fields of a node that scheduling reads, as text, to detect relevant changes. */
export function nodeText(node: Node): string {
  return JSON.stringify([node.metadata.labels, taintsOf(node), node.status?.allocatable]);
}

/** Adds `by` pods to the node; removes pods if it is negative. */
export function countPods(node: SchedulerNode, kind: PodKind, by: PodCount): void {
  const before = node.pods.get(kind) ?? NO_PODS;
  const after = { active: before.active + by.active, terminating: before.terminating + by.terminating };
  if (after.active + after.terminating === 0) node.pods.delete(kind);
  else node.pods.set(kind, after);
  takeRoom(node, kind, by.active + by.terminating);
}

/** The value of a label. Real nodes also have deprecated label names (A0.6); simulated nodes do not. */
export function nodeLabelOf(node: NodeLabels, key: string): string | undefined {
  return node.labels.get(key) ?? node.labels.get(currentLabelName(key));
}

const NO_PODS: PodCount = { active: 0, terminating: 0 };

/** The node controller turns `unschedulable` into a taint. */
function taintsOf({ spec }: Node): readonly Taint[] {
  const taints = spec?.taints ?? [];
  return spec?.unschedulable === true ? [...taints, UNSCHEDULABLE_TAINT] : taints;
}

const UNSCHEDULABLE_TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

function takeRoom(node: SchedulerNode, kind: PodKind, pods: number): void {
  for (const [name, amount] of Object.entries(kind.requests)) {
    node.free.set(name, (node.free.get(name) ?? 0) - amount * pods);
  }
  node.revision += 1;
  node.assumed.cpu += kind.assumed.cpu * pods;
  node.assumed.memory += kind.assumed.memory * pods;
}
