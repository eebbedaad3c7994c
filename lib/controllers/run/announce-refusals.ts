import { eventsOf } from '../../core/events/events-of.ts';
import type { Blocked } from '../../core/model/decision.ts';
import { decisionOn } from '../../core/model/decision-id.ts';
import { notAnnounced } from '../act/not-announced.ts';
import { announceEvents } from './announce.ts';
import type { ObjectRun, VerdictSubject } from './apply-verdict.ts';

/** The number of refusals that one call shows, because a refusal may affect every node of a large cluster. */
const MAX_SHOWN = 10;

/**
 * Shows refusals as Events, each of them once an hour. A verdict without an action is not announced otherwise. A failure is added
 * to the notes.
 */
export async function announceRefusals(
  { ports, controller, cluster, notes }: ObjectRun,
  subject: VerdictSubject,
  refusals: readonly Blocked[],
): Promise<void> {
  const blocked = notAnnounced(ports, { cluster, blocked: refusals }, MAX_SHOWN);
  if (blocked.length === 0) return;
  const decision = decisionOn(subject, { controller, cluster, atMs: subject.atMs }, { actions: [], blocked });
  notes.failures.push(...(await announceEvents(ports, decision, eventsOf(decision, subject.seen))));
}
