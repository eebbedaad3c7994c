import type { CapacityBuffer } from '../../../apis/capacity-buffer.ts';
import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { namespaceOf, type ObjectMeta } from '../../../apis/kubernetes.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { NodeOverlay } from '../../../apis/node-overlay.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import { isRecord } from '../../../apis/record.ts';
import type { ObjectPatch } from '../../../core/model/object-patch.ts';
import { fieldsOf, type RawObject } from '../project/project.ts';
import { capacityBufferOf, nodeClaimOf, nodeClassOf, nodeOverlayOf, nodePoolOf } from '../project/project-custom.ts';
import type { ApiClient } from './api-client.ts';
import { kubernetesPortError } from './errors.ts';
import { objectPath } from './object-path.ts';

export const NODE_POOLS = '/apis/karpenter.sh/v1/nodepools';
export const NODE_CLAIMS = '/apis/karpenter.sh/v1/nodeclaims';
export const NODE_OVERLAYS = '/apis/karpenter.sh/v1alpha1/nodeoverlays';
export const NODE_CLASSES = '/apis/karpenter.k8s.aws/v1/ec2nodeclasses';
const BUFFERS = '/apis/autoscaling.x-k8s.io/v1beta1';
export const CAPACITY_BUFFERS = `${BUFFERS}/capacitybuffers`;

interface CustomObject {
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly status?: unknown;
}

/** The path and the reader of each kind. */
interface Place<Kind extends CustomObject> {
  readonly pathOf: (object: Kind) => string;
  readonly project: (raw: RawObject) => Kind | undefined;
}

export const NODE_POOL_PLACE: Place<NodePool> = {
  pathOf: ({ metadata }) => objectPath(NODE_POOLS, metadata.name),
  project: nodePoolOf,
};
export const NODE_CLAIM_PLACE: Place<NodeClaim> = {
  pathOf: ({ metadata }) => objectPath(NODE_CLAIMS, metadata.name),
  project: nodeClaimOf,
};
export const NODE_OVERLAY_PLACE: Place<NodeOverlay> = {
  pathOf: ({ metadata }) => objectPath(NODE_OVERLAYS, metadata.name),
  project: nodeOverlayOf,
};
export const NODE_CLASS_PLACE: Place<EC2NodeClass> = {
  pathOf: ({ metadata }) => objectPath(NODE_CLASSES, metadata.name),
  project: nodeClassOf,
};
export const CAPACITY_BUFFER_PLACE: Place<CapacityBuffer> = {
  pathOf: (buffer) =>
    objectPath(`${objectPath(`${BUFFERS}/namespaces`, namespaceOf(buffer))}/capacitybuffers`, buffer.metadata.name),
  project: capacityBufferOf,
};

/**
 * Patches the object by one call and its status by another, each with the resourceVersion of the last read or write. The
 * server rejects a call if another client wrote in between. *Shape:* undefined where the object no longer exists.
 */
export async function patchCustom<Kind extends CustomObject>(
  client: ApiClient,
  place: Place<Kind>,
  {
    object,
    patch: { annotations, finalizers, status },
  }: { readonly object: Kind; readonly patch: ObjectPatch<unknown> },
): Promise<Kind | undefined> {
  const send = async (to: Kind, { subresource, change }: Write): Promise<Kind | undefined> => {
    const { name, resourceVersion } = to.metadata;
    const body = { ...change, metadata: { ...fieldsOf(change['metadata']), resourceVersion } };
    const path = `${place.pathOf(to)}${subresource}`;
    const answer = await client.send({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
    if (answer.status === 404) return undefined;
    if (answer.status >= 300) throw kubernetesPortError(answer, `patch ${to.kind} ${name}`);
    const after = place.project(fieldsOf(answer.body));
    return isLeaving(after) ? undefined : after;
  };
  let current: Kind | undefined = object;
  if (annotations !== undefined || finalizers !== undefined) {
    current = await send(current, { subresource: '', change: { metadata: { annotations, finalizers } } });
  }
  if (current === undefined || status === undefined) return current;
  return send(current, { subresource: '/status', change: { status: changeTo(status, current.status) } });
}

interface Write {
  readonly subresource: '' | '/status';
  readonly change: RawObject;
}

/** A merge patch keeps absent fields, so removed fields are set to null. */
function changeTo(after: unknown, before: unknown): RawObject {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  const gone = Object.keys(was).filter((key) => is[key] === undefined);
  return {
    ...Object.fromEntries(gone.map((key) => [key, null])),
    ...Object.fromEntries(
      Object.entries(is).map(([key, part]) => [
        key,
        isRecord(part) && isRecord(was[key]) ? changeTo(part, was[key]) : part,
      ]),
    ),
  };
}

/** The response to the patch that removes the last finalizer is the final state of the object. */
function isLeaving(object: CustomObject | undefined): boolean {
  const { deletionTimestamp, finalizers = [] } = object?.metadata ?? {};
  return deletionTimestamp !== undefined && finalizers.length === 0;
}
