import { TERMINATION_FINALIZER } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import { CONDITION_TYPES } from '../../core/node-claim/mirror/mirror-conditions.ts';
import { ConflictError } from '../../ports/errors.ts';
import type { ApiClient } from './client/api-client.ts';
import { isOfAnotherObject, kubernetesPortError } from './client/errors.ts';
import { objectPath } from './client/object-path.ts';
import { NODE_CLAIM_PLACE, NODE_CLAIMS, patchCustom } from './client/patch-custom.ts';
import { fieldsOf } from './project/project.ts';
import { nodeClaimOf } from './project/project-custom.ts';

const APPLY = { contentType: 'application/apply-patch+yaml', query: { fieldManager: 'kerf', force: 'true' } } as const;
const TRIES = 3;

/**
 * Writes the object by server-side apply: one call creates or updates it, and fields of other managers are kept. The status is
 * written by a merge patch: an apply could not remove fields that another program wrote (Karpenter, for an adopted claim), and
 * a CRD without one of the fields would reject all of it. With a uid, the API server does not create the object.
 */
export async function applyNodeClaim(client: ApiClient, { status, ...nodeClaim }: NodeClaim): Promise<void> {
  const { name, uid, labels, annotations, finalizers, ownerReferences } = nodeClaim.metadata;
  const metadata = { name, uid, labels, annotations, finalizers, ownerReferences };
  const path = objectPath(NODE_CLAIMS, name);
  const applied = await client.send({ method: 'PATCH', path, body: { ...nodeClaim, metadata }, ...APPLY });
  if (isOfAnotherObject(applied)) throw new ConflictError(`Kubernetes API: NodeClaim ${name} was created again`);
  if (applied.status >= 300) throw kubernetesPortError(applied, `PATCH ${path}`);
  const object = nodeClaimOf(fieldsOf(applied.body));
  if (status === undefined || object === undefined) return;
  const ofOthers = (object.status?.conditions ?? []).filter(({ type }) => !CONDITION_TYPES.includes(type));
  const conditions = [...(status.conditions ?? []), ...ofOthers];
  await patchCustom(client, NODE_CLAIM_PLACE, { object, patch: { status: { ...status, conditions } } });
}

/** An object with Kerf's finalizer remains until the finalizer is removed. */
export async function deleteNodeClaimObject(client: ApiClient, name: string): Promise<void> {
  const answer = await client.send({ method: 'DELETE', path: objectPath(NODE_CLAIMS, name) });
  if (answer.status < 300 || answer.status === 404) return;
  throw kubernetesPortError(answer, `delete NodeClaim ${name}`);
}

/** Deletes the object before removing the finalizer, so it is listed as terminating if the function stops in between. */
export async function removeNodeClaim(client: ApiClient, name: string): Promise<void> {
  const path = objectPath(NODE_CLAIMS, name);
  await deleteNodeClaimObject(client, name);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if (await takeFinalizerAway(client, path)) return;
  }
  throw new ConflictError(
    `Kubernetes API: NodeClaim ${name} is constantly changed by other clients; its finalizer was not removed`,
  );
}

/** False where the object changed in between. */
async function takeFinalizerAway(client: ApiClient, path: string): Promise<boolean> {
  const found = await client.send({ method: 'GET', path });
  if (found.status === 404) return true;
  if (found.status !== 200) throw kubernetesPortError(found, `read ${path}`);
  const { finalizers, resourceVersion } = fieldsOf(fieldsOf(found.body)['metadata']);
  const others = Array.isArray(finalizers) ? finalizers.filter((each) => each !== TERMINATION_FINALIZER) : [];
  const patched = await client.send({
    method: 'PATCH',
    path,
    contentType: 'application/merge-patch+json',
    body: { metadata: { resourceVersion, finalizers: others } },
  });
  if (patched.status === 409) return false;
  if (patched.status < 300 || patched.status === 404) return true;
  throw kubernetesPortError(patched, `remove the finalizer from ${path}`);
}
