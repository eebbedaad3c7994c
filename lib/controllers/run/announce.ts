import { eventsOf, type SeenObjects } from '../../core/events/events-of.ts';
import { inParallel } from '../../core/in-parallel.ts';
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
  const published = failureOf(decision, ports.messages.publish(decision));
  const shown = announceEvents(ports, decision, eventsOf(decision, seen));
  return [...(await published), ...(await shown)];
}

/** Publishes Kubernetes Events of a decision. *Shape:* the failures. */
export async function announceEvents(
  { cluster }: WritesEvents,
  decision: Decision,
  events: readonly ClusterEvent[],
): Promise<readonly Error[]> {
  const failures: Error[] = [];
  await inParallel(events, AT_ONCE, async (event) => {
    failures.push(...(await failureOf(decision, cluster.publishEvent({ ...event, decision: decision.id }))));
  });
  return failures;
}

async function failureOf({ id }: Decision, published: Promise<void>): Promise<readonly Error[]> {
  try {
    await published;
    return [];
  } catch (cause) {
    return [new Error(`failed to publish decision ${id}`, { cause })];
  }
}
