import type { ReadyReplicas } from '../../../ports/doctor.ts';
import type { ApiClient } from '../client/api-client.ts';
import { kubernetesPortError } from '../client/errors.ts';
import { fieldsOf } from '../project/project.ts';

/** *Shape:* `v1.35.4`. */
export async function serverVersion(client: ApiClient): Promise<string> {
  const { gitVersion } = fieldsOf(await client.expect({ method: 'GET', path: '/version' }));
  return String(gitVersion);
}

/** The replicas of a Deployment; undefined if it does not exist. */
export async function deploymentReplicas(client: ApiClient, path: string): Promise<ReadyReplicas | undefined> {
  const answer = await client.send({ method: 'GET', path });
  if (answer.status === 404) return undefined;
  if (answer.status >= 300) throw kubernetesPortError(answer, `read ${path}`);
  const { spec, status } = fieldsOf(answer.body);
  // The API server omits a count of 0.
  return { replicas: Number(fieldsOf(spec)['replicas'] ?? 1), ready: Number(fieldsOf(status)['readyReplicas'] ?? 0) };
}
