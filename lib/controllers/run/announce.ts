import { eventsOf, type SeenObjects } from '../../core/events/events-of.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { ClusterEvent } from '../../core/model/event.ts';
import type { PublishesDecisions, WritesEvents } from './ports.ts';

/** Events are said side by side, and leave the API server room for others. */
const AT_ONCE = 10;

/**
 * Tells the bus what was decided, and the cluster's users what concerns their pods and nodes. What is decided is done already:
 * that it could not be told is a failure to report, not one to stop for.
 */
export async function announce(
  ports: PublishesDecisions & WritesEvents,
  decision: Decision,
  seen: SeenObjects = {},
): Promise<readonly Error[]> {
  const failures: Error[] = [];
  const tell = async (telling: Promise<void>): Promise<void> => {
    try {
      await telling;
    } catch (cause) {
      failures.push(new Error(`failed to publish decision ${decision.id}`, { cause }));
    }
  };
  const left: ClusterEvent[] = [...eventsOf(decision, seen)];
  const next = async (): Promise<void> => {
    const event = left.shift();
    if (event === undefined) return;
    await tell(ports.cluster.publishEvent(event));
    await next();
  };
  await Promise.all([tell(ports.messages.publish(decision)), ...Array.from({ length: AT_ONCE }, next)]);
  return failures;
}
