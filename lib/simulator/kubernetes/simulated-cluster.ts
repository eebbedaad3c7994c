import { formatTime, timeIn } from '../../apis/formats/time.ts';
import type { Labels, Node, Pod } from '../../apis/kubernetes.ts';
import { TERMINATION_FINALIZER } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import { optional } from '../../apis/optional.ts';
import { filledNamespaces } from '../../core/cluster/namespaces.ts';
import { NOMINATION_MANAGER, type PodNomination } from '../../core/cluster/nominated-node.ts';
import { AUTO_MODE_GROUP, type AutoscalerTraces } from '../../core/cluster/other-autoscalers.ts';
import { selectsPod } from '../../core/cluster/pod-disruption-budgets.ts';
import { deletedAtMs, graceMsOf } from '../../core/cluster/pods.ts';
import type { PodTarget } from '../../core/model/decision.ts';
import type { NodePatch } from '../../core/model/node-patch.ts';
import { isManagedNodeClass } from '../../core/node-class/our-class.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster, EvictionOutcome } from '../../ports/cluster.ts';
import { ConflictError } from '../../ports/errors.ts';
import { budgetStatus } from './disruptions-allowed.ts';
import { withNomination } from './nominated-pod.ts';
import { createCustom, deleteCustom, patchSimulatedCustom, writeCustom } from './objects.ts';
import {
  currentPod,
  FIRST_DEPLOYMENT,
  type KubernetesState,
  removeNode,
  removePod,
  writeNode,
  writePod,
} from './state.ts';
import { storageObjects } from './storage/storage-state.ts';
import { scalable } from './workloads/scale.ts';

/** The Cluster port on the simulated API server, for one deployment of Kerf. */
export function simulatedCluster(state: KubernetesState, clock: Clock, deployment = FIRST_DEPLOYMENT): Cluster {
  const { all: pods, onNode, unbound } = state.podIndex;
  let nodes: readonly Node[] | undefined;
  state.watchers.push({
    node() {
      nodes = undefined;
    },
  });
  return {
    listUnboundPods: async () => unbound(),
    listPods: async () => pods(),
    listPodsOnNode: async (node) => onNode(node),
    listNodes: async () => (nodes ??= [...state.nodes.values()]),
    readNode: async (name) => state.nodes.get(name),
    listNodePools: async () =>
      [...state.nodePools.values()].filter(({ spec }) => isManagedNodeClass(spec.template.spec.nodeClassRef)),
    listNodeClasses: async () => [...state.nodeClasses.values()],
    listDaemonSets: async () => state.daemonSets,
    listPodDisruptionBudgets: async () =>
      state.podDisruptionBudgets.map((one) => ({ ...one, status: budgetStatus(one, state) })),
    listNodeClaims: async () =>
      [...state.nodeClaims.values()].filter(({ spec }) => isManagedNodeClass(spec.nodeClassRef)),
    listNodeOverlays: async () => [...state.nodeOverlays.values()],
    listCapacityBuffers: async () => [...state.capacityBuffers.values()],
    listPodTemplates: async () => state.podTemplates,
    listNamespaces: async () => filledNamespaces([...state.namespaces.values()], pods()),
    listVolumeAttachments: async () => [...state.storage.attachments.values()],
    listPersistentVolumeClaims: async () => [...state.storage.claims.values()],
    readStorage: async () => storageObjects(state.storage),
    listScalableWorkloads: async (kind) => [...scalable(state, kind).values()],

    findOtherAutoscalers: async () => ({ ...state.autoscalers, ...claimOf(state, deployment) }),
    listAutoModePools: async () =>
      [...state.nodePools.values()]
        .filter(({ spec }) => spec.template.spec.nodeClassRef.group === AUTO_MODE_GROUP)
        .map(({ metadata }) => metadata.name),
    claimCluster: async () => {
      state.holder ??= deployment;
      return { deployment: state.holder, isOwn: state.holder === deployment };
    },

    patchNode: async (target, patch) => patchNode(state, target, patch),
    deleteNode: async (name) => void endNode(state, name, clock),
    evictPod: async (pod) => evictPod(state, pod, clock),
    deletePod: async (pod, graceSeconds) => {
      const found = currentPod(state, pod);
      if (found !== undefined) endPod(state, found, { graceMs: graceSeconds * 1_000, nowMs: clock.now() });
    },
    nominatePod: async (nomination) => nominatePod(state, nomination),
    applyNodeClaim: async (nodeClaim) => applyNodeClaim(state, nodeClaim, clock),
    deleteNodeClaim: async (name) => void endNodeClaim(state, name, clock),
    removeNodeClaim: async (name) => removeNodeClaim(state, name, clock),
    patchNodePool: async (object, patch) => patchSimulatedCustom(state, state.nodePools, { object, patch }),
    patchNodeClass: async (object, patch) => patchSimulatedCustom(state, state.nodeClasses, { object, patch }),
    patchNodeClaim: async (object, patch) => patchSimulatedCustom(state, state.nodeClaims, { object, patch }),
    patchNodeOverlay: async (object, patch) => patchSimulatedCustom(state, state.nodeOverlays, { object, patch }),
    patchCapacityBuffer: async (object, patch) => patchSimulatedCustom(state, state.capacityBuffers, { object, patch }),
    publishEvent: async () => {},
  };
}

function claimOf({ holder }: KubernetesState, deployment: string): Pick<AutoscalerTraces, 'claim'> {
  return holder === undefined ? {} : { claim: { deployment: holder, isOwn: holder === deployment } };
}

function patchNode(
  state: KubernetesState,
  target: { readonly name: string; readonly resourceVersion?: string },
  patch: NodePatch,
): void {
  const node = state.nodes.get(target.name);
  if (node === undefined) return;
  if (target.resourceVersion !== undefined && target.resourceVersion !== node.metadata.resourceVersion) {
    throw new ConflictError(
      `node ${target.name} has resourceVersion ${node.metadata.resourceVersion}, not ${target.resourceVersion}: read it again`,
    );
  }
  const { annotations, taints, finalizers = node.metadata.finalizers } = patch;
  const { ownerReferences = node.metadata.ownerReferences } = patch;
  writeNode(state, {
    ...node,
    metadata: {
      ...node.metadata,
      labels: mergedLabels(node, patch),
      annotations: { ...node.metadata.annotations, ...annotations },
      ...optional({ finalizers, ownerReferences }),
    },
    spec: { ...node.spec, ...optional({ taints }) },
  });
  if (node.metadata.deletionTimestamp !== undefined && finalizers?.length === 0) removeNode(state, target.name);
}

function mergedLabels({ metadata }: Node, { labels = {} }: NodePatch): Labels {
  const merged = Object.entries({ ...metadata.labels, ...labels });
  return Object.fromEntries(merged.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
}

function nominatePod(state: KubernetesState, { pod: target, before, node }: PodNomination): boolean {
  const pod = currentPod(state, target);
  if (pod === undefined || pod.spec.nodeName !== undefined) return false;
  if (pod.status?.nominatedNodeName !== before || before === node) return false;
  writePod(state, withNomination(pod, node, NOMINATION_MANAGER));
  return true;
}

/** Creates the NodeClaim or merges it into the existing one. Labels, annotations and finalizers of others stay. */
function applyNodeClaim(state: KubernetesState, nodeClaim: NodeClaim, clock: Clock): void {
  const { name, uid } = nodeClaim.metadata;
  const found = state.nodeClaims.get(name);
  if (uid !== undefined && uid !== found?.metadata.uid)
    throw new ConflictError(`NodeClaim ${name} with the uid ${uid} does not exist`);
  const applied = found === undefined ? undefined : state.appliedNodeClaims.get(name)?.metadata;
  state.appliedNodeClaims.set(name, nodeClaim);
  if (found === undefined) {
    createCustom(state, state.nodeClaims, nodeClaim);
    return collectGarbage(state, nodeClaim, clock);
  }
  const { labels, annotations, finalizers = [], ...metadata } = nodeClaim.metadata;
  const { metadata: before } = found;
  writeCustom(state, state.nodeClaims, {
    ...nodeClaim,
    metadata: {
      ...before,
      ...metadata,
      labels: { ...without(before.labels, applied?.labels), ...labels },
      annotations: { ...without(before.annotations, applied?.annotations), ...annotations },
      finalizers: [...new Set([...(before.finalizers ?? []), ...finalizers])],
    },
  });
}

/** Kubernetes' garbage collector: it deletes an object whose owner, by the UID, does not exist. */
function collectGarbage(
  state: KubernetesState,
  { metadata: { name, ownerReferences = [] } }: NodeClaim,
  clock: Clock,
): void {
  const uids = new Set([...state.nodePools.values()].map(({ metadata }) => metadata.uid));
  if (ownerReferences.some(({ uid }) => !uids.has(uid))) deleteNodeClaim(state, name, clock);
}

function without(present: Labels = {}, removed: Labels = {}): Labels {
  return Object.fromEntries(Object.entries(present).filter(([key]) => removed[key] === undefined));
}

/** Another client than Kerf deletes a NodeClaim. The API server calls the webhook, which excludes Kerf's own writes. */
export function deleteNodeClaim(state: KubernetesState, name: string, clock: Clock): void {
  if (endNodeClaim(state, name, clock)) state.onReview({ resource: 'nodeclaims', name });
}

/** Deletes a NodeClaim. With finalizers, it only gets a deletionTimestamp. *Shape:* whether this request deleted it. */
function endNodeClaim(state: KubernetesState, name: string, clock: Clock): boolean {
  return deleteCustom(state, state.nodeClaims, { object: state.nodeClaims.get(name), clock });
}

function removeNodeClaim(state: KubernetesState, name: string, clock: Clock): void {
  endNodeClaim(state, name, clock);
  const found = state.nodeClaims.get(name);
  if (found === undefined) return;
  const finalizers = (found.metadata.finalizers ?? []).filter((one) => one !== TERMINATION_FINALIZER);
  writeCustom(state, state.nodeClaims, { ...found, metadata: { ...found.metadata, finalizers } });
}

/** Another client than Kerf deletes a node. The API server calls the webhook, which excludes Kerf's own writes. */
export function deleteNode(state: KubernetesState, name: string, clock: Clock): void {
  if (endNode(state, name, clock)) state.onReview({ resource: 'nodes', name });
}

/** Deletes a node. With finalizers, it only gets a deletionTimestamp. *Shape:* whether this request deleted it. */
function endNode(state: KubernetesState, name: string, clock: Clock): boolean {
  const node = state.nodes.get(name);
  if (node === undefined) return false;
  const { finalizers = [], deletionTimestamp } = node.metadata;
  if (finalizers.length === 0) {
    removeNode(state, name);
    return true;
  }
  if (deletionTimestamp !== undefined) return false;
  writeNode(state, { ...node, metadata: { ...node.metadata, deletionTimestamp: formatTime(clock.now()) } });
  return true;
}

function evictPod(state: KubernetesState, target: PodTarget, clock: Clock): EvictionOutcome {
  const pod = currentPod(state, target);
  if (pod === undefined) return { kind: 'gone' };
  const budgets = state.podDisruptionBudgets.filter((one) => selectsPod(one, pod));
  if (budgets.length > 1) return { kind: 'blocked', message: 'the pod has more than one PodDisruptionBudget' };
  const refusing = budgets.find((one) => budgetStatus(one, state).disruptionsAllowed === 0);
  if (refusing !== undefined) {
    return { kind: 'blocked', message: `eviction refused by PodDisruptionBudget ${refusing.metadata.name}` };
  }
  endPodGracefully(state, pod, clock);
  return { kind: 'evicted' };
}

interface PodEnd {
  readonly graceMs: number;
  readonly nowMs: number;
}

/**
 * Marks a bound pod as terminating, so that its kubelet ends it. A pod without a node is removed. As by the API server, a later deletion can
 * shorten the grace period, which is counted from the first deletion; if it has passed then, the pod has one second. @internal
 */
export function endPod(state: KubernetesState, pod: Pod, { graceMs, nowMs }: PodEnd): void {
  if (pod.spec.nodeName === undefined) return removePod(state, pod);
  const endMs = timeIn(pod.metadata.deletionTimestamp);
  const fromMs = deletedAtMs(pod) ?? nowMs;
  if (endMs !== undefined && fromMs + graceMs >= endMs) return;
  const isPast = endMs !== undefined && fromMs + graceMs < nowMs;
  const metadata = {
    ...pod.metadata,
    deletionTimestamp: formatTime(isPast ? nowMs : fromMs + graceMs),
    deletionGracePeriodSeconds: isPast ? 1 : graceMs / 1_000,
  };
  writePod(state, { ...pod, metadata });
}

/** Deletes the pod without a grace period. */
export function endPodNow(state: KubernetesState, pod: Pod, clock: Clock): void {
  endPod(state, pod, { graceMs: 0, nowMs: clock.now() });
}

/** Deletes the pod with its own grace period. */
export function endPodGracefully(state: KubernetesState, pod: Pod, clock: Clock): void {
  endPod(state, pod, { graceMs: graceMsOf(pod), nowMs: clock.now() });
}
