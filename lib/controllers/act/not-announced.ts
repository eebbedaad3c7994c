import type { Blocked } from '../../core/model/decision.ts';
import { formatSubject } from '../../core/model/subject.ts';
import type { HasClock, RemembersRefusals } from '../run/ports.ts';

/**
 * The refusals that were not announced in the last hour. A verdict on an object has its refusals in each run, and a record that
 * marks them as announced may not be written.
 */
export function notAnnounced(
  { refusals, clock }: HasClock & RemembersRefusals,
  cluster: string,
  blocked: readonly Blocked[],
): readonly Blocked[] {
  const nowMs = clock.now();
  return blocked.filter(({ subject, reason, message }) => {
    const announced = `${cluster}: ${formatSubject(subject)} is announced as ${reason}`;
    return refusals?.isNew(announced, message, nowMs) ?? true;
  });
}
