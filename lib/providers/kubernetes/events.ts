import { fingerprint } from '../../core/identity.ts';
import type { ClusterEvent } from '../../ports/cluster.ts';
import type { ApiClient } from './api-client.ts';
import { portErrorOf } from './errors.ts';

const API_VERSION: Readonly<Record<ClusterEvent['regarding']['kind'], string>> = {
  Pod: 'v1',
  Node: 'v1',
  NodeClaim: 'karpenter.sh/v1',
  NodePool: 'karpenter.sh/v1',
  EC2NodeClass: 'karpenter.k8s.aws/v1',
};

/** What the API server takes of a note. */
const LONGEST_NOTE = 1_024;

/** An `events.k8s.io/v1` event. Its name is made of its content and minute, so that a retry does not say it twice. */
export async function publishEvent(client: ApiClient, event: ClusterEvent, nowMs: number): Promise<void> {
  const { kind, name, uid = kind === 'Node' ? name : undefined } = event.regarding;
  // Events of objects without a namespace live in `default`.
  const namespace = event.regarding.namespace ?? 'default';
  const identity = JSON.stringify([event, Math.floor(nowMs / 60_000)]);
  const answer = await client.send({
    method: 'POST',
    path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
    body: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: `${name}.${fingerprint(identity, 16)}`, namespace },
      eventTime: microTime(nowMs),
      reportingController: 'kerf',
      reportingInstance: 'kerf',
      action: event.reason,
      reason: event.reason,
      type: event.type,
      note: event.message.slice(0, LONGEST_NOTE),
      regarding: { apiVersion: API_VERSION[kind], kind, name, namespace: event.regarding.namespace, uid },
    },
  });
  // 409: said within this minute. 404: the namespace went with what it regards.
  if (answer.status < 300 || answer.status === 409 || answer.status === 404) return;
  throw portErrorOf(answer, `publish event ${event.reason} of ${kind} ${name}`);
}

/** `2026-01-31T08:00:00.000000Z`: event times have six decimals. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
