import { type Pod, podKey } from '../apis/kubernetes.ts';
import type { Decision } from '../core/action.ts';
import { realPods } from '../core/node-claim/record.ts';
import type { ClusterEvent } from '../ports/cluster.ts';
import type { ControllerPorts } from './ports.ts';

/** F16: events are for people; a decision on a thousand pods must not become a thousand writes. */
const MOST_EVENTS = 10;

/**
 * Tells the bus what was decided, and the cluster's users what concerns their pods. What is decided is done already: that it
 * could not be told is a failure to report, not one to stop for.
 */
export async function announce(
  ports: Pick<ControllerPorts, 'messages' | 'cluster'>,
  decision: Decision,
  pods: readonly Pod[] = [],
): Promise<readonly Error[]> {
  const told: Promise<void>[] = [ports.messages.publish(decision)];
  for (const { regarding, ...event } of eventsOf(decision).slice(0, MOST_EVENTS)) {
    const uid = pods.find((pod) => podKey(pod) === `${regarding.namespace}/${regarding.name}`)?.metadata.uid;
    told.push(
      ports.cluster.publishEvent({ ...event, regarding: { ...regarding, ...(uid === undefined ? {} : { uid }) } }),
    );
  }
  const outcomes = await Promise.allSettled(told);
  return outcomes.flatMap((outcome) =>
    outcome.status === 'rejected'
      ? [new Error(`decision ${decision.id} was not told to all`, { cause: outcome.reason })]
      : [],
  );
}

/** F12, F13: Nominated for pods with a place to come, and why there is none, or why a pod keeps its node, in one line. */
function eventsOf(decision: Decision): readonly ClusterEvent[] {
  const nominated = decision.actions.flatMap((action) => {
    if (action.kind === 'nominate-node') return action.pods.map((pod) => nomination(pod, `node/${action.node}`));
    if (action.kind === 'create-node-claim')
      return realPods(action.nodeClaim).map((pod) => nomination(pod, `nodeclaim/${action.nodeClaim.name}`));
    return [];
  });
  const pods = decision.blocked.filter(({ subject }) => subject.startsWith('pod '));
  const failed = [...Map.groupBy(pods, ({ subject }) => subject)].map(([subject, why]) => ({
    regarding: podReference(subject.slice('pod '.length)),
    type: 'Warning' as const,
    reason: decision.controller === 'termination' ? 'FailedDraining' : 'FailedScheduling',
    message: why
      .map(({ nodePool, message }) => (nodePool === undefined ? message : `NodePool ${nodePool}: ${message}`))
      .join('; '),
  }));
  return [...failed, ...nominated];
}

function nomination(pod: string, place: string): ClusterEvent {
  return {
    regarding: podReference(pod),
    type: 'Normal',
    reason: 'Nominated',
    message: `Pod should schedule on: ${place}`,
  };
}

function podReference(key: string): ClusterEvent['regarding'] {
  const [namespace = 'default', name = ''] = key.split('/');
  return { kind: 'Pod', namespace, name };
}
