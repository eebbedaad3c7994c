import { eventsOf, type SeenObjects } from '../../core/events/events-of.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { ClusterEvent } from '../../core/model/event.ts';
import type { PublishesDecisions, WritesEvents } from './ports.ts';

/** Events are written in parallel; the limit keeps the load of the API server low. */
const AT_ONCE = 10;

/**
 * Publishes a decision on the event bus, and as Kubernetes Events on the objects that it affects. The decision is carried out
 * already, so the run reports a failure to publish it and continues. *Shape:* the failures.
 */
export async function announce(
  ports: PublishesDecisions & WritesEvents,
  decision: Decision,
  seen: SeenObjects = {},
): Promise<readonly Error[]> {
  const failures: Error[] = [];
  const noteFailure = async (published: Promise<void>): Promise<void> => {
    try {
      await published;
    } catch (cause) {
      failures.push(new Error(`failed to publish decision ${decision.id}`, { cause }));
    }
  };
  const left: ClusterEvent[] = [...eventsOf(decision, seen)];
  const next = async (): Promise<void> => {
    const event = left.shift();
    if (event === undefined) return;
    await noteFailure(ports.cluster.publishEvent(event));
    await next();
  };
  await Promise.all([noteFailure(ports.messages.publish(decision)), ...Array.from({ length: AT_ONCE }, next)]);
  return failures;
}
