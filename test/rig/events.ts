/** Events as schedulers and other components write them. */
import { randomUUID } from 'node:crypto';
import type { ClusterFunction } from '../../lib/core/install/rbac.ts';
import { succeed } from '../cluster/support/api-client.ts';
import { speakingFor } from '../cluster/support/identities.ts';

export interface EventFields {
  readonly reason?: string;
  readonly kind?: string;
  readonly controller?: string;
  readonly as?: ClusterFunction;
}

/** A new one each time. */
export async function anEvent({
  reason = 'FailedScheduling',
  kind = 'Pod',
  controller = 'default-scheduler',
  as,
}: EventFields = {}) {
  const regarding = { apiVersion: 'v1', kind, name: 'web-1', namespace: 'default' };
  const said = { reason, type: 'Warning', note: 'no nodes', action: 'Scheduling', regarding };
  await succeed({
    method: 'POST',
    path: '/apis/events.k8s.io/v1/namespaces/default/events',
    ...(as !== undefined && { headers: speakingFor(as) }),
    body: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: `web-1.${randomUUID()}`, namespace: 'default' },
      eventTime: '2026-01-31T08:00:00.000000Z',
      reportingController: controller,
      reportingInstance: controller,
      ...said,
    },
  });
}
