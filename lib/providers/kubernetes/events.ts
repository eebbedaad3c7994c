import { timeIn } from '../../apis/formats/time.ts';
import { DECISION } from '../../apis/labels.ts';
import { fingerprint } from '../../core/identity.ts';
import { type ClusterEvent, dedupeMs } from '../../core/model/event.ts';
import type { ApiClient } from './client/api-client.ts';
import { isNamespaceGoing, kubernetesPortError } from './client/errors.ts';
import { objectPath } from './client/object-path.ts';
import { fieldsOf, type RawObject } from './project/project.ts';

const API_VERSION: Readonly<Record<ClusterEvent['regarding']['kind'], string>> = {
  Pod: 'v1',
  Node: 'v1',
  NodeClaim: 'karpenter.sh/v1',
  NodePool: 'karpenter.sh/v1',
  EC2NodeClass: 'karpenter.k8s.aws/v1',
};

/** The limit of a note in bytes, and the maximum length of a name with a fingerprint. */
const LONGEST_NOTE = 1_024;
const LONGEST_NAME = 200;

/**
 * Writes an `events.k8s.io/v1` event once. Its name is derived from its content, so the event in the API server shows when it
 * was last written by any function. After its quiet time it is repeated as a series (F16). The server deletes an event that is
 * not repeated for an hour. *Cost:* one call; two for an existing event, three for a repeated one.
 */
export async function publishEvent(client: ApiClient, event: ClusterEvent, nowMs: number): Promise<void> {
  const { kind, name } = event.regarding;
  // Events of cluster-scoped objects are in the namespace `default`.
  const namespace = event.regarding.namespace ?? 'default';
  const collection = `${objectPath('/apis/events.k8s.io/v1/namespaces', namespace)}/events`;
  const body = eventObject(event, nowMs);
  const answer = await client.send({ method: 'POST', path: collection, body });
  // 404: the namespace was deleted with the object.
  if (answer.status < 300 || answer.status === 404 || isNamespaceGoing(answer)) return;
  if (answer.status === 409) return repeatEvent(client, objectPath(collection, body.metadata.name), { event, nowMs });
  throw kubernetesPortError(answer, `publish event ${event.reason} of ${kind} ${name}`);
}

/** If two functions repeat an event at the same time, one write is enough. */
async function repeatEvent(
  client: ApiClient,
  path: string,
  { event, nowMs }: { readonly event: ClusterEvent; readonly nowMs: number },
): Promise<void> {
  const found = await client.send({ method: 'GET', path });
  if (found.status === 404) return;
  if (found.status !== 200) throw kubernetesPortError(found, `read ${path}`);
  const { eventTime, series, metadata } = fieldsOf(found.body);
  const { count, lastObservedTime } = fieldsOf(series);
  const saidAtMs = timeIn(String(lastObservedTime ?? eventTime));
  // Kerf's Events have a time: another program, or a user of the namespace, has written this one.
  if (saidAtMs === undefined || nowMs - saidAtMs < dedupeMs(event)) return;
  const { resourceVersion } = fieldsOf(metadata);
  const body = {
    metadata: { resourceVersion, ...annotated(event) },
    series: { count: (typeof count === 'number' ? count : 1) + 1, lastObservedTime: microTime(nowMs) },
  };
  const answer = await client.send({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
  if (answer.status < 300 || answer.status === 404 || answer.status === 409) return;
  throw kubernetesPortError(answer, `repeat ${path}`);
}

function eventObject(
  { regarding, reason, type, message, decision }: ClusterEvent,
  nowMs: number,
): RawObject & { readonly metadata: { readonly name: string; readonly namespace: string } } {
  const { kind, name, namespace, uid = kind === 'Node' ? name : undefined } = regarding;
  const identity = fingerprint(JSON.stringify([kind, name, namespace, uid, type, reason, message]), 16);
  // A truncated name must still end with a valid character.
  const prefix = name.slice(0, LONGEST_NAME).replace(/[^a-z0-9]+$/, '');
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${prefix}.${identity}`, namespace: namespace ?? 'default', ...annotated({ decision }) },
    eventTime: microTime(nowMs),
    reportingController: 'kerf',
    reportingInstance: 'kerf',
    action: reason,
    reason,
    type,
    note: cutToBytes(message, LONGEST_NOTE),
    regarding: { apiVersion: API_VERSION[kind], kind, name, namespace, uid },
  };
}

/** The name of the decision, as in the log line of the run. A repeated event has that of the last one. */
function annotated({ decision }: { readonly decision?: string | undefined }): object {
  return decision === undefined ? {} : { annotations: { [DECISION]: decision } };
}

/** The decoder in streaming mode drops an incomplete character at the end. */
function cutToBytes(text: string, most: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, most), { stream: true });
}

/** `2026-01-31T08:00:00.000000Z`: event times have six decimals. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
