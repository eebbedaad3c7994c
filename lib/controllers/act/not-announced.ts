import type { Blocked } from '../../core/model/decision.ts';
import { formatSubject } from '../../core/model/subject.ts';
import type { HasClock, RemembersRefusals } from '../run/ports.ts';
import { isNewRefusal } from './is-new-refusal.ts';

/**
 * The refusals that were not announced in the last hour. A verdict on an object has its refusals in each run, and a record that
 * marks them as announced may not be written.
 */
export function notAnnounced(
  ports: HasClock & RemembersRefusals,
  cluster: string,
  blocked: readonly Blocked[],
): readonly Blocked[] {
  return blocked.filter(({ subject, reason, message }) =>
    isNewRefusal(ports, `${cluster}: ${formatSubject(subject)} is announced as ${reason}`, message),
  );
}
