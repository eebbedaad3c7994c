import { formatTime, timeIn } from '../../../apis/formats/time.ts';
import { optional } from '../../../apis/optional.ts';
import { CLAIM_LEASE, type ClusterClaim, isSameDeployment } from '../../../core/cluster/cluster-claim.ts';
import { fingerprint } from '../../../core/identity.ts';
import { INSTALLED_LABELS } from '../../../core/install/rbac.ts';
import { ConflictError } from '../../../ports/errors.ts';
import type { ApiClient } from '../client/api-client.ts';
import { kubernetesPortError } from '../client/errors.ts';
import { fieldsOf } from '../project/project.ts';

const { namespace, name } = CLAIM_LEASE;
const PATH = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;

/** *Shape:* undefined if no deployment holds the cluster. */
export async function readClaim(client: ApiClient, deployment: string): Promise<ClusterClaim | undefined> {
  const { spec } = fieldsOf(await readLease(client));
  const { holderIdentity: holder, acquireTime } = fieldsOf(spec);
  if (typeof holder !== 'string' || holder === '') return undefined;
  return {
    deployment: holder,
    isOwn: isSameDeployment(holder, deployment),
    ...optional({ sinceMs: typeof acquireTime === 'string' ? timeIn(acquireTime) : undefined }),
  };
}

/**
 * Claims the cluster, unless another deployment holds it. Each deployment has its own field manager, so that the API server
 * refuses the second of two claims at the same time. *Shape:* the claim afterwards.
 */
export async function claimCluster(client: ApiClient, deployment: string, nowMs: number): Promise<ClusterClaim> {
  const before = await readClaim(client, deployment);
  if (before !== undefined) return before;
  const answer = await client.send({
    method: 'PATCH',
    path: PATH,
    query: { fieldManager: `kerf-${fingerprint(deployment)}` },
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace, name, labels: INSTALLED_LABELS },
      spec: { holderIdentity: deployment, acquireTime: microTime(nowMs) },
    },
  });
  if (answer.status < 300) return { deployment, isOwn: true, sinceMs: nowMs };
  const after = answer.status === 409 ? await readClaim(client, deployment) : undefined;
  if (after === undefined) throw kubernetesPortError(answer, `apply ${PATH}`);
  return after;
}

/** Deletes the claim of this deployment. *Errors:* ConflictError if another deployment took the cluster in the meantime. */
export async function releaseClaim(client: ApiClient, deployment: string): Promise<void> {
  const { metadata, spec } = fieldsOf(await readLease(client));
  if (!isSameDeployment(String(fieldsOf(spec)['holderIdentity']), deployment)) return;
  const { uid, resourceVersion } = fieldsOf(metadata);
  const body = { preconditions: { uid, resourceVersion } };
  const answer = await client.send({ method: 'DELETE', path: PATH, body });
  if (answer.status < 300 || answer.status === 404) return;
  if (answer.status === 409) throw new ConflictError(`Kubernetes API: ${PATH} changed while it was released`);
  throw kubernetesPortError(answer, `delete ${PATH}`);
}

/** *Shape:* undefined if there is no Lease. */
async function readLease(client: ApiClient): Promise<unknown> {
  const answer = await client.send({ method: 'GET', path: PATH });
  if (answer.status === 404) return undefined;
  if (answer.status >= 300) throw kubernetesPortError(answer, `read ${PATH}`);
  return answer.body;
}

/** As Kubernetes writes times of Leases. */
function microTime(ms: number): string {
  return formatTime(ms).replace(/(?:\.\d+)?Z$/, '.000000Z');
}
