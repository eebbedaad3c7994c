import { TERMINATION_FINALIZER } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import { CONDITION_TYPES } from '../../core/node-claim/mirror-conditions.ts';
import { ConflictError } from '../../ports/errors.ts';
import type { ApiClient } from './api-client.ts';
import { portErrorOf } from './errors.ts';
import { NODE_CLAIM, NODE_CLAIMS, patchCustom } from './patch-custom.ts';
import { fieldsOf } from './project.ts';
import { nodeClaimOf } from './project-custom.ts';

const APPLY = { contentType: 'application/apply-patch+yaml', query: { fieldManager: 'kerf', force: 'true' } } as const;
const TRIES = 3;

/**
 * Its object by server-side apply: one call creates or updates, and what others wrote beside it stays. Its status by a merge
 * patch on that: an applied one takes away nothing that another program wrote before (Karpenter, of a claim that was
 * adopted), and a CRD that does not know one of its fields would refuse it whole.
 */
export async function applyNodeClaim(client: ApiClient, { status, ...nodeClaim }: NodeClaim): Promise<void> {
  const { name, labels, annotations, finalizers, ownerReferences } = nodeClaim.metadata;
  const metadata = { name, labels, annotations, finalizers, ownerReferences };
  const path = `${NODE_CLAIMS}/${name}`;
  const applied = await client.expect({ method: 'PATCH', path, body: { ...nodeClaim, metadata }, ...APPLY });
  const object = nodeClaimOf(fieldsOf(applied));
  if (status === undefined || object === undefined) return;
  const ofOthers = (object.status?.conditions ?? []).filter(({ type }) => !CONDITION_TYPES.includes(type));
  const conditions = [...(status.conditions ?? []), ...ofOthers];
  await patchCustom(client, NODE_CLAIM, { object, patch: { status: { ...status, conditions } } });
}

/** Where it has our finalizer it stays until that is taken away. */
export async function deleteNodeClaim(client: ApiClient, name: string): Promise<void> {
  const answer = await client.send({ method: 'DELETE', path: `${NODE_CLAIMS}/${name}` });
  if (answer.status < 300 || answer.status === 404) return;
  throw portErrorOf(answer, `delete NodeClaim ${name}`);
}

/** Deleted first, so that it stays listed as terminating should the function end before the finalizer is off. */
export async function removeNodeClaim(client: ApiClient, name: string): Promise<void> {
  const path = `${NODE_CLAIMS}/${name}`;
  await deleteNodeClaim(client, name);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if (await takeFinalizerAway(client, path)) return;
  }
  throw new ConflictError(
    `Kubernetes API: NodeClaim ${name} is written by others all the time: its finalizer is still there`,
  );
}

/** False where the object changed in between. */
async function takeFinalizerAway(client: ApiClient, path: string): Promise<boolean> {
  const found = await client.send({ method: 'GET', path });
  if (found.status === 404) return true;
  if (found.status !== 200) throw portErrorOf(found, `read ${path}`);
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
  throw portErrorOf(patched, `take the finalizer off ${path}`);
}
