import { isRecord, textField } from '../../../apis/record.ts';
import type { MetricsApi, ReadyReplicas } from '../../../ports/doctor.ts';
import type { ApiClient } from '../client/api-client.ts';
import { kubernetesPortError } from '../client/errors.ts';
import { objectPath } from '../client/object-path.ts';
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

/** Whether the API server reaches the program of an aggregated API; undefined if none is registered. */
export async function aggregatedApi(client: ApiClient, name: string): Promise<MetricsApi | undefined> {
  const path = objectPath('/apis/apiregistration.k8s.io/v1/apiservices', name);
  const answer = await client.send({ method: 'GET', path });
  if (answer.status === 404) return undefined;
  if (answer.status >= 300) throw kubernetesPortError(answer, `read ${path}`);
  const { conditions } = fieldsOf(fieldsOf(answer.body)['status']);
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  const available = all.find((one) => isRecord(one) && one['type'] === 'Available');
  return {
    isAvailable: textField(available, 'status') === 'True',
    message: textField(available, 'message') ?? 'it has no condition Available',
  };
}
