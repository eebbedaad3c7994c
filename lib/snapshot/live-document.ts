import type { CapacityBuffer } from '../apis/capacity-buffer.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import { formatExactTime } from '../apis/formats/time.ts';
import type {
  DaemonSet,
  LimitRange,
  NamedPodTemplate,
  Namespace,
  Node,
  Pod,
  PodDisruptionBudget,
  ScalableWorkload,
} from '../apis/kubernetes.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodeOverlay } from '../apis/node-overlay.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { Storage } from '../apis/storage.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';
import { instanceTypesFor } from '../core/instance-type/resolve.ts';
import type { NodePoolView } from '../core/model/cluster-snapshot.ts';
import { givenInstanceTypes } from './given-instance-types.ts';
import { imagesInStatus, learnedFromNodes } from './learned-from-nodes.ts';
import { withoutManifests, withoutUserData } from './without-secrets.ts';

/** The objects of a cluster, as its API server returns them. */
export interface LiveObjects {
  readonly name: string;
  readonly nodePools: readonly NodePool[];
  readonly nodeClasses: readonly EC2NodeClass[];
  readonly nodeClaims: readonly NodeClaim[];
  readonly nodeOverlays: readonly NodeOverlay[];
  readonly capacityBuffers: readonly CapacityBuffer[];
  readonly podTemplates: readonly NamedPodTemplate[];
  /** These lists are needed only for CapacityBuffers. */
  readonly deployments: readonly ScalableWorkload[];
  readonly statefulSets: readonly ScalableWorkload[];
  readonly replicaSets: readonly ScalableWorkload[];
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly daemonSets: readonly DaemonSet[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  readonly namespaces: readonly Namespace[];
  readonly limitRanges: readonly LimitRange[];
  readonly storage: Storage;
}

/**
 * Writes the objects as a snapshot, with the instance types that each NodePool can launch by this catalogue. User data and the
 * manifests that kubectl keeps in annotations are left out, because they may contain secrets; pods have no environment variables
 * and no arguments, because they are read without them. *Cost:* O(objects + types × NodePools).
 */
export function liveSnapshotText(objects: LiveObjects, catalogue: Catalogue, nowMs: number): string {
  const { storage } = objects;
  const document = {
    formatVersion: 1,
    name: objects.name,
    options: { now: formatExactTime(nowMs) },
    nodePools: objects.nodePools,
    nodeClasses: objects.nodeClasses.map(withoutUserData),
    nodeClaims: objects.nodeClaims,
    nodeOverlays: objects.nodeOverlays,
    capacityBuffers: objects.capacityBuffers,
    podTemplates: objects.podTemplates,
    deployments: objects.deployments,
    statefulSets: objects.statefulSets,
    replicaSets: objects.replicaSets,
    instanceTypes: givenInstanceTypes(viewsOf(objects, catalogue, nowMs)),
    nodes: objects.nodes,
    pods: objects.pods,
    daemonSets: objects.daemonSets,
    pdbs: objects.podDisruptionBudgets,
    namespaces: objects.namespaces,
    limitRanges: objects.limitRanges,
    pvcs: storage.persistentVolumeClaims,
    pvs: storage.persistentVolumes,
    storageClasses: storage.storageClasses,
    csiNodes: storage.csiNodes,
    volumeAttachments: storage.volumeAttachments ?? [],
  };
  return `${JSON.stringify(document, withoutManifests)}\n`;
}

/** Without a status of its EC2NodeClass, a NodePool can use all zones of the region. */
function viewsOf(objects: LiveObjects, catalogue: Catalogue, nowMs: number): readonly NodePoolView[] {
  const { nodePools, nodeClasses } = objects;
  const learnedMemory = learnedFromNodes(objects, nowMs);
  const typesOf = new Map(
    nodeClasses.map((nodeClass) => {
      const zones = nodeClass.status?.subnets?.map(({ zone }) => zone) ?? [];
      const images = imagesInStatus(nodeClass);
      const options = { images, learnedMemory, ...(zones.length > 0 && { zones: new Set(zones) }) };
      return [nodeClass.metadata.name, instanceTypesFor(catalogue, nodeClass, options)] as const;
    }),
  );
  return nodePools.map((nodePool) => ({
    nodePool,
    instanceTypes: typesOf.get(nodePool.spec.template.spec.nodeClassRef.name) ?? [],
  }));
}
