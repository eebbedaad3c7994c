import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import type { ClusterManifests } from '../../apis/cluster-manifests.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import {
  type DaemonSet,
  type Deployment,
  type LimitRange,
  type NamedPodTemplate,
  type Namespace,
  type Node,
  type ObjectMeta,
  type Pod,
  type PodDisruptionBudget,
  type PriorityClass,
  podKey,
  type RuntimeClass,
} from '../../apis/kubernetes.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodeOverlay } from '../../apis/node-overlay.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { CronJob, HorizontalPodAutoscaler, Job, ReplicaSet, StatefulSet } from '../../apis/workloads.ts';
import { KARPENTER_NAMESPACES } from '../../core/cluster/karpenter-signs.ts';
import type { AutoscalerTraces } from '../../core/cluster/other-autoscalers.ts';
import { type BudgetCount, budgetCounts } from './budget-counts.ts';
import { changed, createCustom, objectKeyOf, uidOf } from './objects.ts';
import { type PodIndex, podIndex, type StateWatcher } from './pod-index.ts';
import { type StorageState, storageState } from './storage/storage-state.ts';

/** The deployment that is installed when a simulation starts. */
export const FIRST_DEPLOYMENT = 'simulated';

/** A request of the API server to the webhook: the resource and the name of the written object. */
export interface Review {
  readonly resource: 'events' | 'nodes' | 'nodeclaims' | 'nodepools';
  readonly name: string;
}

/** A Job that has failed. */
export interface JobFailure {
  /** `namespace/name`. */
  readonly job: string;
  /** Its controller, or the Job itself: `CronJob default/nightly`. */
  readonly workload: string;
  readonly reason: 'BackoffLimitExceeded' | 'DeadlineExceeded' | 'PodFailurePolicy';
  readonly podsSucceeded: number;
  readonly podsFailed: number;
}

/** The storage of the API server. Every write increases `version` and calls the listeners. */
export interface KubernetesState {
  readonly nodePools: Map<string, NodePool>;
  readonly nodeClasses: Map<string, EC2NodeClass>;
  readonly daemonSets: readonly DaemonSet[];
  podDisruptionBudgets: readonly PodDisruptionBudget[];
  readonly nodeOverlays: Map<string, NodeOverlay>;
  readonly capacityBuffers: Map<string, CapacityBuffer>;
  readonly podTemplates: readonly NamedPodTemplate[];
  readonly deployments: Map<string, Deployment>;
  readonly replicaSets: Map<string, ReplicaSet>;
  readonly statefulSets: Map<string, StatefulSet>;
  /** `addJob` and `removeJob` change it. */
  readonly jobs: Map<string, Job>;
  /** The keys of the Jobs that the Job controller has to reconcile. */
  readonly changedJobs: Set<string>;
  /** `writePod` and `removePod` change it. */
  readonly cronJobs: readonly CronJob[];
  readonly horizontalPodAutoscalers: readonly HorizontalPodAutoscaler[];
  readonly pods: Map<string, Pod>;
  readonly podIndex: PodIndex;
  readonly budgetCounts: (budget: PodDisruptionBudget) => BudgetCount;
  readonly nodes: Map<string, Node>;
  readonly nodeClaims: Map<string, NodeClaim>;
  /** What Kerf applied last, by the name of the NodeClaim: a later apply removes the labels and annotations that it omits. */
  readonly appliedNodeClaims: Map<string, NodeClaim>;
  /** The deployment that holds the cluster. */
  holder: string | undefined;
  /** The signs of other autoscalers. */
  autoscalers: AutoscalerTraces;
  readonly priorityClasses: ReadonlyMap<string, PriorityClass>;
  readonly limitRanges: readonly LimitRange[];
  readonly runtimeClasses: ReadonlyMap<string, RuntimeClass>;
  /** Those of the manifests, by name. A namespace in use that has none here has only the label with its name. */
  readonly namespaces: ReadonlyMap<string, Namespace>;
  readonly storage: StorageState;
  version: number;
  /** Called with each write and removal, before `onChange`. */
  readonly watchers: StateWatcher[];
  /** Called after each change, for the controllers of the cluster. */
  onChange: () => void;
  /** Called with each request that the rules of the webhook match: never with Kerf's own. */
  onReview: (review: Review) => void;
  onJobFailed: (failure: JobFailure) => void;
  /** Called with what is assumed about an object, because the manifests do not state it. */
  onAssumption: (text: string, subject: string) => void;
}

export function kubernetesState(manifests: ClusterManifests): KubernetesState {
  const daemonSets = manifests.daemonSets.map((one) => ({
    ...one,
    metadata: { ...one.metadata, uid: uidOf('DaemonSet', one) },
  }));
  const pods = new Map<string, Pod>();
  const watchers: StateWatcher[] = [];
  const state: KubernetesState = {
    nodePools: new Map(),
    nodeClasses: new Map(),
    daemonSets,
    podDisruptionBudgets: manifests.podDisruptionBudgets,
    nodeOverlays: new Map(),
    capacityBuffers: new Map(),
    podTemplates: manifests.podTemplates,
    deployments: byKey(manifests.deployments),
    replicaSets: byKey(manifests.replicaSets),
    statefulSets: byKey(manifests.statefulSets),
    jobs: byKey(manifests.jobs),
    changedJobs: new Set(manifests.jobs.map(objectKeyOf)),
    cronJobs: manifests.cronJobs,
    horizontalPodAutoscalers: manifests.horizontalPodAutoscalers,
    pods,
    podIndex: podIndex(pods, watchers),
    budgetCounts: budgetCounts(pods, watchers),
    nodes: new Map(),
    nodeClaims: new Map(),
    appliedNodeClaims: new Map(),
    holder: FIRST_DEPLOYMENT,
    autoscalers: {
      namespaces: KARPENTER_NAMESPACES,
      leases: [],
      deployments: [],
      writers: [],
      unread: [],
    },
    priorityClasses: priorityClasses(manifests.priorityClasses),
    limitRanges: manifests.limitRanges,
    runtimeClasses: byName(manifests.runtimeClasses),
    namespaces: byName(manifests.namespaces),
    storage: storageState(manifests),
    version: 0,
    watchers,
    onChange: () => {},
    onReview: () => {},
    onJobFailed: () => {},
    onAssumption: () => {},
  };
  for (const each of manifests.nodePools) createCustom(state, state.nodePools, each);
  for (const each of manifests.nodeClasses) createCustom(state, state.nodeClasses, each);
  for (const each of manifests.nodeOverlays) createCustom(state, state.nodeOverlays, each);
  for (const each of manifests.capacityBuffers) createCustom(state, state.capacityBuffers, each);
  return state;
}

/** The two classes that every cluster has, and the given ones. */
function priorityClasses(given: readonly PriorityClass[]): ReadonlyMap<string, PriorityClass> {
  const system = [
    { metadata: { name: 'system-cluster-critical' }, value: 2_000_000_000 },
    { metadata: { name: 'system-node-critical' }, value: 2_000_001_000 },
  ];
  return new Map([...system, ...given].map((one) => [one.metadata.name, one]));
}

function byName<Kind extends { readonly metadata: ObjectMeta }>(objects: readonly Kind[]): ReadonlyMap<string, Kind> {
  return new Map(objects.map((one) => [one.metadata.name, one]));
}

function byKey<Kind extends { readonly metadata: ObjectMeta }>(objects: readonly Kind[]): Map<string, Kind> {
  return new Map(objects.map((one) => [objectKeyOf(one), one]));
}

export function writePod(state: KubernetesState, pod: Pod): void {
  const before = state.pods.get(podKey(pod));
  state.pods.set(podKey(pod), pod);
  for (const watcher of state.watchers) watcher.pod?.(before, pod);
  changed(state);
}

export function removePod(state: KubernetesState, pod: Pod): void {
  if (forgetPod(state, pod)) changed(state);
}

function forgetPod(state: KubernetesState, pod: Pod): boolean {
  const before = state.pods.get(podKey(pod));
  if (before === undefined) return false;
  state.pods.delete(podKey(pod));
  for (const watcher of state.watchers) watcher.pod?.(before, undefined);
  return true;
}

/** The current version of the pod; undefined if it is gone or another pod has its name. */
export function currentPod(
  state: KubernetesState,
  pod: { readonly namespace: string; readonly name: string; readonly uid: string },
): Pod | undefined {
  const found = state.pods.get(`${pod.namespace}/${pod.name}`);
  return found?.metadata.uid === pod.uid ? found : undefined;
}

export function writeNode(state: KubernetesState, node: Node): void {
  const { name } = node.metadata;
  const resourceVersion = String(state.version + 1);
  const before = state.nodes.get(name);
  const after = { ...node, metadata: { ...node.metadata, resourceVersion } };
  state.nodes.set(name, after);
  for (const watcher of state.watchers) watcher.node?.(before, after);
  changed(state);
}

/** Removes the node and the pods that are bound to it. */
export function removeNode(state: KubernetesState, name: string): void {
  const before = state.nodes.get(name);
  if (before === undefined) return;
  state.nodes.delete(name);
  for (const watcher of state.watchers) watcher.node?.(before, undefined);
  for (const pod of state.podIndex.onNode(name)) forgetPod(state, pod);
  changed(state);
}
