import { conditionStatus, type Labels, type Node, type Pod, type Taint } from '../../apis/kubernetes.ts';
import { CAPACITY_TYPE, HOSTNAME, INITIALIZED, INSTANCE_TYPE, NODE_POOL, ZONE } from '../../apis/labels.ts';
import { optional } from '../../apis/optional.ts';
import { DISRUPTED_TAINT, isEphemeral, sameTaint, UNDERUTILIZED_TAINT } from '../../apis/taints.ts';
import { compareText } from '../compare-text.ts';
import { tenancyLabel } from '../instance-type/tenancy.ts';
import { lastFor, onceFor } from '../kept-answers.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { instanceIdOf, instanceOf, type NodeClaimRecord, providerIdOf } from '../model/node-claim-record.ts';
import {
  merge,
  NO_REQUIREMENTS,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
} from '../requirements/requirements.ts';
import { podRequests } from '../resources/pod-requests.ts';
import { add, parseResources, type Resources, subtract, UNREADABLE_OFFER } from '../resources/resources.ts';
import { foreignNomination } from './nominated-node.ts';
import { isActive, isTerminal } from './pods.ts';
import { replacedClaims } from './replaced-claims.ts';

/**
 * A node for decisions: a Node, a NodeClaim without a node, or both. A claim that is not launched yet is included by its
 * record, so that no run waits for it (in Karpenter it does: B3).
 */
export interface StateNode {
  /** The name of the node; of the claim if it has no node yet. */
  readonly name: string;
  readonly nodePool?: string;
  readonly node?: Node;
  readonly nodeClaim?: NodeClaimRecord;
  readonly labels: Labels;
  /** Its labels as requirements; for a claim that is not launched yet, the requirements of the claim. */
  readonly requirements: Requirements;
  /** Taints that count for scheduling (B16). */
  readonly taints: readonly Taint[];
  readonly allocatable: Resources;
  /** The pods bound to it that are not terminal, and the pods for which the kube-scheduler deletes others there. */
  readonly pods: readonly Pod[];
  readonly initialized: boolean;
  /** It leaves: its NodeClaim or its Node is being deleted, or a disruption command replaces it. Its pods need another node. */
  readonly deleting: boolean;
  /** A disruption command replaces it. The command may end without deleting it, so it holds its share of the limits. @default false */
  readonly replaced?: true;
  /** A replacement of an earlier move of the pass: EC2 does not count its instance yet. @default it exists, or its NodeClaim does */
  readonly planned?: true;
}

/** All nodes and all claims without a node: initialized nodes first, then by name (B15). *Cost:* O(nodes + claims + pods). */
export function stateNodes({ nodes, nodeClaims, pods, commands }: Observed): readonly StateNode[] {
  return stateNodesOf(nodes, { nodeClaims, pods, commands });
}

type Observed = Pick<ClusterSnapshot, 'nodes' | 'nodeClaims' | 'pods' | 'commands'>;

/** A run asks several times about the same lists. */
const stateNodesOf = lastFor((all: Observed['nodes'], beside: Omit<Observed, 'nodes'>): readonly StateNode[] => {
  const claims = new Map<string, NodeClaimRecord>();
  for (const record of beside.nodeClaims) for (const key of claimKeys(record)) claims.set(key, record);
  const podsByNode = podsOfNodes(beside.pods);
  const withNode = new Set<string>();
  const replaced = replacedClaims(beside);
  const nodes = all.map((node) => {
    // EC2 gives the address of an ended instance to another one, whose Node may have the same name.
    const { providerID } = node.spec ?? {};
    const isOfInstance = instanceIdOf(providerID) !== undefined;
    const record = claims.get(providerID ?? '') ?? (isOfInstance ? undefined : claims.get(node.metadata.name));
    if (record !== undefined) withNode.add(record.name);
    const stateNode = fromNode(node, record, podsByNode.get(node.metadata.name) ?? NO_PODS);
    const isReplaced = !stateNode.deleting && record !== undefined && replaced.has(record.name);
    return isReplaced ? { ...stateNode, deleting: true, replaced: true as const } : stateNode;
  });
  const inFlight = beside.nodeClaims.filter((record) => !withNode.has(record.name)).map(fromRecord);
  return [...nodes, ...inFlight].toSorted(
    (a, b) => Number(b.initialized) - Number(a.initialized) || compareText(a.name, b.name),
  );
});

const claimKeys = onceFor((record: NodeClaimRecord): readonly string[] => {
  const instance = instanceOf(record);
  return [
    ...(instance === undefined ? [] : [providerIdOf(instance)]),
    ...(record.nodeName === undefined ? [] : [record.nodeName]),
  ];
});

/**
 * The pods that are not terminal, by the name of their node. A pod that preempts others counts on its node before it is bound, because
 * the kube-scheduler reserves its room. The records may change when the pods do not.
 */
const podsOfNodes = onceFor((pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> => {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const nodeName = pod.spec.nodeName ?? foreignNomination(pod);
    if (nodeName === undefined || isTerminal(pod)) continue;
    const others = byNode.get(nodeName);
    if (others === undefined) byNode.set(nodeName, [pod]);
    else others.push(pod);
  }
  return byNode;
});

const NO_PODS: readonly Pod[] = [];

const known = new WeakMap<Node, StateNode>();

/** *Shape:* the same object for the same node, record and pods, so that what is computed from it is computed once. */
function fromNode(node: Node, record: NodeClaimRecord | undefined, pods: readonly Pod[]): StateNode {
  const before = known.get(node);
  if (before === undefined || before.nodeClaim !== record) return kept(node, { ...withoutPods(node, record), pods });
  const isSame = before.pods.length === pods.length && before.pods.every((pod, at) => pod === pods[at]);
  return isSame ? before : kept(node, { ...before, pods });
}

function kept(node: Node, made: StateNode): StateNode {
  known.set(node, made);
  return made;
}

function withoutPods(node: Node, record: NodeClaimRecord | undefined): Omit<StateNode, 'pods'> {
  const labels = { ...record?.labels, ...node.metadata.labels };
  const initialized = record === undefined || labels[INITIALIZED] === 'true';
  const reported = parseResources(node.status?.allocatable, UNREADABLE_OFFER);
  // Before registration the node does not have all labels of its claim.
  const expected = initialized ? NO_REQUIREMENTS : expectedOf(record);
  return {
    name: node.metadata.name,
    ...optional({ nodePool: labels[NODE_POOL] }),
    node,
    ...optional({ nodeClaim: record }),
    labels,
    requirements: merge(expected, requirementsFromLabels({ [HOSTNAME]: node.metadata.name, ...labels })),
    taints: schedulingTaints(node, record, initialized),
    // B17: the figures of the claim replace those that the kubelet has not reported yet.
    allocatable: initialized ? reported : { ...reported, ...unreported(record.allocatable, reported) },
    initialized,
    deleting: record?.deletion !== undefined || node.metadata.deletionTimestamp !== undefined,
  };
}

/** The requirements of the claim, and the tenancy that its launch asks for (C19). */
function expectedOf({ spec }: NodeClaimRecord): Requirements {
  const requirements = requirementsFrom(spec.requirements);
  return new Map([...requirements, ...requirementsFromLabels(tenancyLabel(requirements))]);
}

/** The resources that the node reports as 0 or not at all, as it does until a device plugin runs. */
function unreported(expected: Resources, reported: Resources): Resources {
  return Object.fromEntries(Object.entries(expected).filter(([name]) => (reported[name] ?? 0) === 0));
}

function fromRecord(record: NodeClaimRecord): StateNode {
  const instance = instanceOf(record);
  const labels: Labels = {
    ...record.labels,
    ...(instance === undefined
      ? {}
      : { [INSTANCE_TYPE]: instance.instanceType, [ZONE]: instance.zone, [CAPACITY_TYPE]: instance.capacityType }),
  };
  return {
    name: record.name,
    nodePool: record.nodePool,
    nodeClaim: record,
    labels,
    requirements: merge(expectedOf(record), requirementsFromLabels(labels)),
    taints: record.spec.taints ?? [],
    allocatable: record.allocatable,
    pods: [],
    initialized: false,
    // A node that disappeared is not expected soon, so its pods get another node.
    deleting: (record.deletion ?? record.nodeLostAtMs) !== undefined,
  };
}

/**
 * B16: the taints that apply to pods. Temporary taints and startup taints do not count while the node starts. A PreferNoSchedule taint
 * that others add to a node of Kerf never counts: the kube-scheduler binds pods there, and each new node may get the same taint. Kerf's own
 * (E38) counts on no node, also if the record of the node cannot be read.
 */
function schedulingTaints(node: Node, record: NodeClaimRecord | undefined, initialized: boolean): readonly Taint[] {
  const own = record?.spec.taints ?? [];
  const present = (node.spec?.taints ?? []).filter((taint) => {
    const mayBeAdded =
      record === undefined ? sameTaint(taint, UNDERUTILIZED_TAINT) : taint.effect === 'PreferNoSchedule';
    return !mayBeAdded || own.some((one) => sameTaint(one, taint));
  });
  const taints = [
    ...present,
    ...(node.spec?.unschedulable === true
      ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const]
      : []),
  ];
  if (initialized || record === undefined) return taints;
  const startup = record.spec.startupTaints ?? [];
  const lasting = taints.filter((taint) => !isEphemeral(taint) && !startup.some((one) => sameTaint(one, taint)));
  const missing = own.filter((taint) => !lasting.some((one) => sameTaint(one, taint)));
  return [...lasting, ...missing];
}

/** The allocatable resources minus the requests of all pods on the node. Terminating pods count until they are gone. */
export const freeResources: (stateNode: StateNode) => Resources = onceFor(({ allocatable, pods }: StateNode) =>
  subtract(allocatable, add(...pods.map(podRequests))),
);

export function isNodeReady(node: Node): boolean {
  return conditionStatus(node, 'Ready') === 'True';
}

/** The name of the Node, also before it registers; undefined if it is not known yet. */
export function knownNodeName({ node, nodeClaim }: StateNode): string | undefined {
  return node?.metadata.name ?? nodeClaim?.expectedNodeName;
}

/** Whether the node has the taint of a drain or of a command that replaces it. */
export function isDisrupted({ spec }: Node): boolean {
  return spec?.taints?.some((taint) => sameTaint(taint, DISRUPTED_TAINT)) === true;
}

/** The pods on the node that are neither terminal nor terminating. */
export function activePods(stateNode: StateNode): readonly Pod[] {
  return stateNode.pods.filter(isActive);
}
