import { timeIn } from '../../apis/formats/time.ts';
import { type Pod } from '../../apis/kubernetes.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../apis/labels.ts';
import { isActiveWorkload } from '../../core/cluster/pods.ts';
import { type StateNode, stateNodes } from '../../core/cluster/state-node.ts';
import { compareText } from '../../core/compare-text.ts';
import { ALL_METHODS } from '../../core/disruption/methods/all-methods.ts';
import { nodePrice } from '../../core/disruption/node-price.ts';
import { planDisruption } from '../../core/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import { reasonLines, refusalsOf } from '../../core/provisioning/pod-refusals.ts';
import { provision } from '../../core/provisioning/provision.ts';
import { podRequests } from '../../core/resources/pod-requests.ts';
import { add } from '../../core/resources/resources.ts';
import { stayingGroups, stayingNodes } from '../plan/disruption/staying-nodes.ts';
import { whyIgnored } from '../plan/ignored-pods.ts';
import type { PlannedSnapshot } from '../plan/planned-snapshot.ts';
import { podSummary } from '../plan/pod-groups.ts';
import { totalUsd } from '../render/format-money.ts';
import { inProgress } from './in-progress.ts';

/** What `kerf top` shows of a cluster. The output of `--output json`. */
export interface TopState {
  readonly cluster: string;
  readonly atMs: number;
  /** The names of the NodePools, sorted. */
  readonly nodePools: readonly string[];
  readonly nodes: readonly TopNode[];
  /** Pods on nodes. */
  readonly pods: number;
  /** Of the nodes with a known price. */
  readonly usdPerHour: number;
  /** The most pods first. */
  readonly pending: readonly Reasoned[];
  /** Why nodes stay, and what a plan would remove. The most nodes first. Empty for more nodes than are planned. */
  readonly staying: readonly Reasoned[];
  /** What is being done to nodes. */
  readonly inProgress: string;
  /** The latest lines of the timeline of a simulation. @default it is not a simulation */
  readonly latest?: readonly string[];
}

/** So many pods or nodes have the same reason. */
export interface Reasoned {
  readonly count: number;
  readonly what: string;
  readonly why: string;
}

export interface TopNode {
  readonly name: string;
  /** Empty for a node that no NodePool has launched. */
  readonly pool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  /** 0 if it is not known. */
  readonly usdPerHour: number;
  /** Undefined if it is not known. */
  readonly sinceMs: number | undefined;
  readonly cpu: Share;
  readonly memory: Share;
  readonly pods: number;
  /** Why it stays, or which command of a plan removes it. Empty if there are too many nodes for a plan. */
  readonly why: string;
}

/** *Units:* millicores, or bytes. */
export interface Share {
  readonly requested: number;
  readonly allocatable: number;
}

/** The plan of a larger cluster would keep the terminal waiting. */
export const MAX_PLANNED_NODES = 1_000;

/** Computes what is shown. *Cost:* that of a provisioning decision, and of a disruption plan up to MAX_PLANNED_NODES nodes. */
export function topState({ snapshot, nowMs }: Pick<PlannedSnapshot, 'snapshot' | 'nowMs'>): TopState {
  const nodes = stateNodes(snapshot);
  const { whys, staying } = nodes.length > MAX_PLANNED_NODES ? NOT_PLANNED : planned(snapshot, nowMs);
  const shown = nodes.map((node) => topNode(node, snapshot, whys));
  return {
    cluster: snapshot.cluster,
    atMs: nowMs,
    nodePools: snapshot.nodePools.map(({ nodePool }) => nodePool.metadata.name).toSorted(compareText),
    nodes: shown,
    pods: shown.reduce((sum, { pods }) => sum + pods, 0),
    usdPerHour: totalUsd(shown.map(({ usdPerHour }) => usdPerHour)),
    pending: pendingIn(snapshot, nowMs),
    staying,
    inProgress: inProgress(nodes),
  };
}

interface Reasons {
  readonly whys: ReadonlyMap<string, string>;
  readonly staying: readonly Reasoned[];
}

const NOT_PLANNED: Reasons = { whys: new Map(), staying: [] };

function planned(snapshot: ClusterSnapshot, nowMs: number): Reasons {
  const plan = planDisruption(ALL_METHODS, snapshot, nowMs);
  const stay = stayingNodes(plan, snapshot.commands);
  const byCommands = plan.commands.flatMap(({ candidates, replacements, reason }) => {
    const why = `${replacements.length === 0 ? 'a plan deletes it' : 'a plan replaces it'}: ${reason}`;
    return candidates.map(({ stateNode: { name } }) => ({ name, why }));
  });
  const surplus = plan.surplus.map(({ node, message }) => ({ name: node, why: `a plan deletes it: ${message}` }));
  const removed = [...byCommands, ...surplus];
  return {
    whys: new Map([
      ...stay.map(({ name, why, message }) => [name, message === undefined ? why : `${why}: ${message}`] as const),
      ...removed.map(({ name, why }) => [name, why] as const),
    ]),
    staying: [
      ...stayingGroups(stay).map(({ text, nodes }) => ({ count: nodes.length, what: '', why: text })),
      ...[...Map.groupBy(removed, ({ why }) => why)].map(([why, { length }]) => ({ count: length, what: '', why })),
    ].toSorted((a, b) => b.count - a.count),
  };
}

function topNode(stateNode: StateNode, { nodePools }: ClusterSnapshot, whys: Reasons['whys']): TopNode {
  const { name, labels, nodePool = '', node, nodeClaim, allocatable, pods } = stateNode;
  const { cpu = 0, memory = 0 } = add(...pods.map(podRequests));
  return {
    name,
    pool: nodePool,
    instanceType: labels[INSTANCE_TYPE] ?? '',
    zone: labels[ZONE] ?? '',
    capacityType: labels[CAPACITY_TYPE] ?? '',
    usdPerHour: nodePrice(stateNode, nodePools),
    sinceMs: timeIn(node?.metadata.creationTimestamp) ?? nodeClaim?.createdAtMs,
    cpu: { requested: cpu, allocatable: allocatable['cpu'] ?? 0 },
    memory: { requested: memory, allocatable: allocatable['memory'] ?? 0 },
    pods: pods.length,
    why: whys.get(name) ?? '',
  };
}

const MAX_WORKLOADS = 3;

/** The pods without a node, by reason. */
function pendingIn(snapshot: ClusterSnapshot, nowMs: number): readonly Reasoned[] {
  const waiting = snapshot.pods.filter((pod) => pod.spec.nodeName === undefined && isActiveWorkload(pod));
  if (waiting.length === 0) return [];
  const { newClaims, existing, unplaced } = provision(snapshot, { decisionId: 'top', nowMs }).schedule;
  const whys = new Map<Pod, string>([
    ...newClaims.flatMap(({ pods }) => pods.map((pod) => [pod, 'needs a new node, which a plan launches'] as const)),
    ...existing.flatMap(({ pods }) => pods.map((pod) => [pod, 'fits a node that is here or on its way'] as const)),
    ...unplaced.map((one) => [one.pod, reasonLines(refusalsOf(one)).join('; ')] as const),
  ]);
  return [...Map.groupBy(waiting, (pod) => whys.get(pod) ?? whyIgnored(pod))]
    .map(([why, pods]) => ({ count: pods.length, what: podSummary(pods, MAX_WORKLOADS), why }))
    .toSorted((a, b) => b.count - a.count);
}
