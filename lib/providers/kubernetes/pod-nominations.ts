import { NOMINATION_MANAGER, type PodNomination } from '../../core/cluster/nominated-node.ts';
import type { ApiClient } from './client/api-client.ts';
import { isNamespaceGoing, kubernetesPortError } from './client/errors.ts';
import { podPath } from './evictions.ts';

/**
 * A JSON patch whose tests the server makes together with the change: it replaces neither a nomination that the kube-scheduler has
 * written meanwhile nor that of another pod with the name. A test that fails and a pod that is bound are 422.
 */
export async function nominatePod(client: ApiClient, { pod, before, node }: PodNomination): Promise<boolean> {
  if (before === node) return false;
  const path = '/status/nominatedNodeName';
  const answer = await client.send({
    method: 'PATCH',
    path: `${podPath(pod)}/status`,
    query: { fieldManager: NOMINATION_MANAGER },
    contentType: 'application/json-patch+json',
    body: [
      { op: 'test', path: '/metadata/uid', value: pod.uid },
      // An absent field equals null.
      { op: 'test', path, value: before ?? null },
      node === undefined ? { op: 'remove', path } : { op: 'add', path, value: node },
    ],
  });
  if (answer.status < 300) return true;
  if ([404, 409, 422].includes(answer.status) || isNamespaceGoing(answer)) return false;
  throw kubernetesPortError(answer, `nominate a node for ${pod.namespace}/${pod.name}`);
}
