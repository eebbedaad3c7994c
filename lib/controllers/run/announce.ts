import { SECOND_MS } from '../../apis/formats/time.ts';
import { eventsOf, type SeenObjects } from '../../core/events/events-of.ts';
import { inParallel } from '../../core/in-parallel.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { ClusterEvent } from '../../core/model/event.ts';
import { UnreachableError } from '../../ports/errors.ts';
import { atMost, type MayLimitWaits } from '../wait/waits.ts';
import type { PublishesDecisions, WritesEvents } from './ports.ts';

/** What `announce` needs. */
export type Announces = PublishesDecisions & WritesEvents & MayLimitWaits;

/** Events are written in parallel; the limit keeps the load of the API server low. */
const AT_ONCE = 10;

/** Promise 7: an event bus or an Events API that hangs does not delay what the run does next. */
const LIMIT = { what: 'announcements', ms: 2 * SECOND_MS };

/**
 * Publishes a decision on the event bus, and as Kubernetes Events on the objects that it affects. The decision is carried out
 * already, so the run reports a failure to publish it and continues; it waits two seconds at most. *Shape:* the failures.
 */
export async function announce(
  ports: Announces,
  decision: Decision,
  seen: SeenObjects = {},
): Promise<readonly Error[]> {
  const published = failureOf(decision, ports.messages.publish(decision));
  const shown = showEvents(ports, decision, eventsOf(decision, seen));
  return inTime(ports, decision, [published, shown]);
}

/** Publishes a decision on the event bus alone. *Shape:* the failures. */
export async function announceOnBus(
  ports: PublishesDecisions & MayLimitWaits,
  decision: Decision,
): Promise<readonly Error[]> {
  return inTime(ports, decision, [failureOf(decision, ports.messages.publish(decision))]);
}

/** Publishes Kubernetes Events of a decision. *Shape:* the failures. */
export async function announceEvents(
  ports: WritesEvents & MayLimitWaits,
  decision: Decision,
  events: readonly ClusterEvent[],
): Promise<readonly Error[]> {
  return inTime(ports, decision, [showEvents(ports, decision, events)]);
}

/** After an announcement that has no answer in time, the run sends the others without waiting for them. */
async function inTime(
  ports: MayLimitWaits,
  { id }: Decision,
  sent: readonly Promise<readonly Error[]>[],
): Promise<readonly Error[]> {
  const waited = await atMost(ports, LIMIT, Promise.all(sent));
  if (waited.kind === 'ended') return waited.result.flat();
  if (waited.waitedMs === 0) return [];
  const cause = new UnreachableError(`no answer within ${waited.waitedMs} ms; the run does not wait for further ones`);
  return [new Error(`failed to publish decision ${id}`, { cause })];
}

async function showEvents(
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
