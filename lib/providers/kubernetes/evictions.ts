import type { PodTarget } from '../../core/model/decision.ts';
import type { EvictionOutcome } from '../../ports/cluster.ts';
import type { ApiClient } from './client/api-client.ts';
import { type ApiResponse, hasCause, isNamespaceGoing, kubernetesPortError, messageOf } from './client/errors.ts';
import { objectPath } from './client/object-path.ts';
import { fieldsOf } from './project/project.ts';

/**
 * Limits the request to exactly this pod: the server compares the UID atomically. A namespace that is being deleted accepts no evictions, so
 * its pods are deleted, with their own grace periods (promise 3).
 */
export async function evictPod(client: ApiClient, pod: PodTarget): Promise<EvictionOutcome> {
  const { name, namespace } = pod;
  const answer = await client.send({
    method: 'POST',
    path: `${podPath(pod)}/eviction`,
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
      deleteOptions: { preconditions: { uid: pod.uid } },
    },
    // A budget's refusal is not worth an immediate retry. An overloaded server is asked again, after its Retry-After.
    isFinal: (response) => response.status === 500 || isBlocked(response),
  });
  if (answer.status < 300) return { kind: 'evicted' };
  if (isBlocked(answer)) return { kind: 'blocked', message: messageOf(answer) };
  if (isNamespaceGoing(answer)) return { kind: await sendDeletion(client, pod) };
  if (await isGone(client, pod, answer)) return { kind: 'gone' };
  throw kubernetesPortError(answer, `evict ${pod.namespace}/${pod.name}`);
}

export async function deletePod(client: ApiClient, pod: PodTarget, graceSeconds: number): Promise<void> {
  await sendDeletion(client, pod, { gracePeriodSeconds: graceSeconds });
}

/** Deletes the pod with its own grace period, if the options have none. */
async function sendDeletion(
  client: ApiClient,
  pod: PodTarget,
  options: { readonly gracePeriodSeconds?: number } = {},
): Promise<'evicted' | 'gone'> {
  const answer = await client.send({
    method: 'DELETE',
    path: podPath(pod),
    body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options, preconditions: { uid: pod.uid } },
  });
  if (answer.status < 300) return 'evicted';
  if (await isGone(client, pod, answer)) return 'gone';
  throw kubernetesPortError(answer, `delete ${pod.namespace}/${pod.name}`);
}

/**
 * Whether PodDisruptionBudgets refuse the eviction: 429 with the cause of a budget that allows none, or 500 for a pod with two
 * budgets. The server also answers 429 if it is overloaded (priority and fairness), without this cause.
 */
function isBlocked(answer: ApiResponse): boolean {
  if (answer.status === 500) return messageOf(answer).includes('more than one PodDisruptionBudget');
  return answer.status === 429 && hasCause(answer, 'DisruptionBudget');
}

/** 409 may be a conflict on the same pod or another pod with its name. Reading the pod distinguishes them. */
async function isGone(client: ApiClient, pod: PodTarget, answer: ApiResponse): Promise<boolean> {
  if (answer.status === 404) return true;
  if (answer.status !== 409) return false;
  const now = await client.send({ method: 'GET', path: podPath(pod) });
  const { uid } = fieldsOf(fieldsOf(now.body)['metadata']);
  return now.status === 404 || (typeof uid === 'string' && uid !== pod.uid);
}

export function podPath({ namespace, name }: PodTarget): string {
  return objectPath(`${objectPath('/api/v1/namespaces', namespace)}/pods`, name);
}
