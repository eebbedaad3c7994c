import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type {
  DaemonSet,
  LimitRange,
  NamedPodTemplate,
  Namespace,
  Node,
  Pod,
  PodDisruptionBudget,
  ScalableWorkload,
} from '../../apis/kubernetes.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodeOverlay } from '../../apis/node-overlay.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import type { PersistentVolumeClaim, Storage, VolumeAttachment } from '../../apis/storage.ts';
import type { ClusterClaim } from '../../core/cluster/cluster-claim.ts';
import type { PodNomination } from '../../core/cluster/nominated-node.ts';
import type { AutoscalerTraces } from '../../core/cluster/other-autoscalers.ts';
import type { PodTarget } from '../../core/model/decision.ts';
import type { ClusterEvent } from '../../core/model/event.ts';
import type { NodePatch, NodeTarget } from '../../core/model/node-patch.ts';
import type { ObjectPatch } from '../../core/model/object-patch.ts';
import type { NodeClassPatch } from '../../core/node-class/status/decide-node-class.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster, EvictionOutcome, LimitRangeReader, ScalableKind } from '../../ports/cluster.ts';
import type { ApiClient } from './client/api-client.ts';
import { kubernetesPortError } from './client/errors.ts';
import { NODES, PODS } from './client/kinds.ts';
import { listAll } from './client/lists.ts';
import { objectPath } from './client/object-path.ts';
import * as custom from './client/patch-custom.ts';
import { RunEnd } from './client/run-end.ts';
import { type Patience, WATCH_TIMEOUTS } from './client/watch.ts';
import { publishEvent } from './events.ts';
import { deletePod, evictPod } from './evictions.ts';
import { AutoscalerTraceReader } from './install/autoscaler-traces.ts';
import type { KeptListNote } from './kept/kept-bytes.ts';
import { type KeptLists, keptLists } from './kept/kept-lists.ts';
import { applyNodeClaim, deleteNodeClaimObject, removeNodeClaim } from './node-claim-mirror.ts';
import { nominatePod } from './pod-nominations.ts';
import {
  daemonSetOf,
  fieldsOf,
  limitRangeOf,
  nodeOf,
  podDisruptionBudgetOf,
  podTemplateOf,
  projectNamespace,
} from './project/project.ts';
import { capacityBufferOf, nodeClaimOf, nodeClassOf, nodeOverlayOf, nodePoolOf } from './project/project-custom.ts';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from './storage.ts';

export interface KubernetesClusterOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  /** The limit of the cache. @default 128 MiB */
  readonly keptBytes?: number;
  /** Kinds with fewer objects are not cached. @default 1000, and 5000 nodes */
  readonly keptFrom?: number;
  /** @default `PATIENCE` */
  readonly patience?: Patience;
  /** The name of the deployment. @default the claim of the cluster is not read */
  readonly deployment?: string;
  /** The namespaces in which Karpenter may run. @default `KARPENTER_NAMESPACES` */
  readonly karpenterNamespaces?: readonly string[];
  /** Logs details about reading the cluster. @default no log */
  readonly tell?: (message: KeptListNote, fields: Readonly<Record<string, unknown>>) => void;
}

const KEPT_BYTES = 128 * 1024 * 1024;
const KEPT_FROM = 1_000;
const NODES_KEPT_FROM = 5_000;

/** A cluster, accessed by its API server. Large lists are cached while the function is warm. */
export class KubernetesCluster implements Cluster, LimitRangeReader {
  readonly #client: ApiClient;
  readonly #clock: Clock;
  readonly #otherAutoscalers: AutoscalerTraceReader;
  readonly #kept: KeptLists;
  readonly #runEnd = new RunEnd();

  constructor(options: KubernetesClusterOptions) {
    const {
      client,
      clock,
      keptBytes = KEPT_BYTES,
      keptFrom,
      patience = WATCH_TIMEOUTS,
      karpenterNamespaces: namespaces,
      deployment,
      tell = () => undefined,
    } = options;
    this.#client = client;
    this.#clock = clock;
    this.#otherAutoscalers = new AutoscalerTraceReader({ client, clock, ...optional({ namespaces, deployment }) });
    this.#kept = keptLists({
      client,
      clock,
      limitBytes: keptBytes,
      keptFrom: keptFrom ?? KEPT_FROM,
      nodesKeptFrom: keptFrom ?? NODES_KEPT_FROM,
      patience,
      runEnd: this.#runEnd,
      tell,
    });
  }

  /** Aborts reads of a run that has ended, so they do not overlap with the next run. */
  endRun(): void {
    this.#runEnd.end();
  }

  listUnboundPods(): Promise<readonly Pod[]> {
    return this.#kept.pods.listUnbound();
  }

  listPods(): Promise<readonly Pod[]> {
    return this.#kept.pods.list();
  }

  listPodsOnNode(node: string): Promise<readonly Pod[]> {
    return listAll(this.#client, { ...PODS, query: { fieldSelector: `spec.nodeName=${node}` } });
  }

  listNodes(): Promise<readonly Node[]> {
    return this.#kept.nodes.read();
  }

  async readNode(name: string): Promise<Node | undefined> {
    const answer = await this.#client.send({ method: 'GET', path: objectPath(NODES.path, name) });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw kubernetesPortError(answer, `read node ${name}`);
    return nodeOf(fieldsOf(answer.body));
  }

  listNodePools(): Promise<readonly NodePool[]> {
    return listAll(this.#client, { path: custom.NODE_POOLS, project: nodePoolOf, optional: true });
  }

  listNodeClasses(): Promise<readonly EC2NodeClass[]> {
    return listAll(this.#client, { path: custom.NODE_CLASSES, project: nodeClassOf, optional: true });
  }

  listDaemonSets(): Promise<readonly DaemonSet[]> {
    return listAll(this.#client, { path: '/apis/apps/v1/daemonsets', project: daemonSetOf });
  }

  listPodDisruptionBudgets(): Promise<readonly PodDisruptionBudget[]> {
    return listAll(this.#client, { path: '/apis/policy/v1/poddisruptionbudgets', project: podDisruptionBudgetOf });
  }

  listNodeClaims(): Promise<readonly NodeClaim[]> {
    return listAll(this.#client, { path: custom.NODE_CLAIMS, project: nodeClaimOf, optional: true });
  }

  listNodeOverlays(): Promise<readonly NodeOverlay[]> {
    return listAll(this.#client, { path: custom.NODE_OVERLAYS, project: nodeOverlayOf, optional: true });
  }

  listCapacityBuffers(): Promise<readonly CapacityBuffer[]> {
    return listAll(this.#client, { path: custom.CAPACITY_BUFFERS, project: capacityBufferOf, optional: true });
  }

  listPodTemplates(): Promise<readonly NamedPodTemplate[]> {
    return listAll(this.#client, { path: '/api/v1/podtemplates', project: podTemplateOf });
  }

  listNamespaces(): Promise<readonly Namespace[]> {
    return listAll(this.#client, { path: '/api/v1/namespaces', project: projectNamespace });
  }

  listLimitRanges(): Promise<readonly LimitRange[]> {
    return listAll(this.#client, { path: '/api/v1/limitranges', project: limitRangeOf });
  }

  listVolumeAttachments(): Promise<readonly VolumeAttachment[]> {
    return this.#kept.volumeAttachments.read();
  }

  listPersistentVolumeClaims(): Promise<readonly PersistentVolumeClaim[]> {
    return listAll(this.#client, PERSISTENT_VOLUME_CLAIMS);
  }

  readStorage(): Promise<Storage> {
    return readStorage(this.#client, this.#kept);
  }

  listScalableWorkloads(kind: ScalableKind): Promise<readonly ScalableWorkload[]> {
    return this.#kept.scalable[kind].read();
  }

  findOtherAutoscalers(): Promise<AutoscalerTraces> {
    return this.#otherAutoscalers.read();
  }

  listAutoModePools(): Promise<readonly string[]> {
    return this.#otherAutoscalers.readAutoModePools();
  }

  claimCluster(): Promise<ClusterClaim> {
    return this.#otherAutoscalers.claim();
  }

  /** A merge patch with the resourceVersion that was read. The server rejects it if the node has changed. */
  async patchNode(node: NodeTarget, patch: NodePatch): Promise<void> {
    const { name, resourceVersion } = node;
    const { labels, annotations, finalizers, ownerReferences, taints } = patch;
    const body = {
      metadata: { resourceVersion, labels, annotations, finalizers, ownerReferences },
      ...(taints === undefined ? {} : { spec: { taints } }),
    };
    const contentType = 'application/merge-patch+json';
    const answer = await this.#kept.nodes.changing(
      this.#client.send({ method: 'PATCH', path: objectPath(NODES.path, name), body, contentType }),
    );
    if (answer.status < 300 || answer.status === 404) return;
    throw kubernetesPortError(answer, `patch node ${name}`);
  }

  async deleteNode(name: string): Promise<void> {
    const answer = await this.#kept.nodes.changing(
      this.#client.send({ method: 'DELETE', path: objectPath(NODES.path, name) }),
    );
    if (answer.status < 300 || answer.status === 404) return;
    throw kubernetesPortError(answer, `delete node ${name}`);
  }

  evictPod(pod: PodTarget): Promise<EvictionOutcome> {
    return this.#kept.pods.changing(evictPod(this.#client, pod));
  }

  deletePod(pod: PodTarget, graceSeconds: number): Promise<void> {
    return this.#kept.pods.changing(deletePod(this.#client, pod, graceSeconds));
  }

  nominatePod(nomination: PodNomination): Promise<boolean> {
    return this.#kept.pods.changing(nominatePod(this.#client, nomination));
  }

  applyNodeClaim(nodeClaim: NodeClaim): Promise<void> {
    return applyNodeClaim(this.#client, nodeClaim);
  }

  deleteNodeClaim(name: string): Promise<void> {
    return deleteNodeClaimObject(this.#client, name);
  }

  removeNodeClaim(name: string): Promise<void> {
    return removeNodeClaim(this.#client, name);
  }

  patchNodePool(object: NodePool, patch: ObjectPatch<NodePool['status']>): Promise<NodePool | undefined> {
    return custom.patchCustom(this.#client, custom.NODE_POOL_PLACE, { object, patch });
  }

  patchNodeClass(object: EC2NodeClass, patch: NodeClassPatch): Promise<EC2NodeClass | undefined> {
    return custom.patchCustom(this.#client, custom.NODE_CLASS_PLACE, { object, patch });
  }

  patchNodeClaim(object: NodeClaim, patch: ObjectPatch<NodeClaim['status']>): Promise<NodeClaim | undefined> {
    return custom.patchCustom(this.#client, custom.NODE_CLAIM_PLACE, { object, patch });
  }

  patchNodeOverlay(object: NodeOverlay, patch: ObjectPatch<NodeOverlay['status']>): Promise<NodeOverlay | undefined> {
    return custom.patchCustom(this.#client, custom.NODE_OVERLAY_PLACE, { object, patch });
  }

  patchCapacityBuffer(
    object: CapacityBuffer,
    patch: ObjectPatch<CapacityBuffer['status']>,
  ): Promise<CapacityBuffer | undefined> {
    return custom.patchCustom(this.#client, custom.CAPACITY_BUFFER_PLACE, { object, patch });
  }

  publishEvent(event: ClusterEvent): Promise<void> {
    return publishEvent(this.#client, event, this.#clock.now());
  }
}

/** Reads the storage objects of the cluster, reduced to the fields that restrict where a pod may run. */
async function readStorage(client: ApiClient, kept: KeptLists): Promise<Storage> {
  const [persistentVolumeClaims, persistentVolumes, storageClasses, csiNodes] = await Promise.all([
    kept.persistentVolumeClaims.read(),
    kept.persistentVolumes.read(),
    listAll(client, STORAGE_CLASSES),
    kept.csiNodes.read(),
  ]);
  return { persistentVolumeClaims, persistentVolumes, storageClasses, csiNodes };
}
