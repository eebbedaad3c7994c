import { HOUR_MS, MINUTE_MS } from '../../apis/formats/time.ts';
import { bySubject, isOfPod, MAX_REFUSED } from '../../core/events/events-of.ts';
import type { Blocked, Decision } from '../../core/model/decision.ts';
import { formatSubject } from '../../core/model/subject.ts';
import type { HasClock, RemembersRefusals } from '../run/ports.ts';
import { isNewRefusal } from './is-new-refusal.ts';

/**
 * The refusals that were not announced in the last hour, up to the number that is announced at once: the others are new in the next run. A
 * verdict on an object has its refusals in each run, and a record that marks them as announced may not be written.
 */
export function notAnnounced(
  ports: HasClock & RemembersRefusals,
  { cluster, blocked }: Pick<Decision, 'cluster' | 'blocked'>,
  max: number = MAX_REFUSED,
): readonly Blocked[] {
  const found: Blocked[] = [];
  for (const one of blocked) {
    if (found.length === max) break;
    const { subject, reason, message } = one;
    const name = `${cluster}: ${formatSubject(subject)} is announced as ${reason}`;
    if (isNewRefusal(ports, name, message)) found.push(one);
  }
  return found;
}

/**
 * The decision with the refusals that are announced now, on the bus and as Events. A waiting pod has its refusal after each decision
 * (F16), and every other object once an hour. That a node is too young to be consolidated is not announced: it is true of every node
 * after each change of its pods.
 */
export function withoutAnnounced(ports: HasClock & RemembersRefusals, decision: Decision): Decision {
  const { cluster } = decision;
  const blocked = decision.blocked.filter((one) => !isOfPod(one) && one.reason !== 'ConsolidateAfter');
  return { ...decision, blocked: [...podsInTurn(ports, decision), ...notAnnounced(ports, { cluster, blocked })] };
}

/**
 * The refusals of pods. Only the first pods get an Event, so pods without one come first, then those whose last one is the oldest; each time, one
 * pod of each namespace in turn. *Cost:* O(refusals).
 */
function podsInTurn(ports: HasClock & RemembersRefusals, { cluster, blocked }: Decision): readonly Blocked[] {
  const pods = bySubject(blocked.filter(isOfPod));
  if (pods.length <= MAX_REFUSED) return pods.flat();
  const nowMs = ports.clock.now();
  const places = new Map<string, number>();
  const ranked = pods.map((why) => {
    const [first] = why;
    const text = first === undefined ? '' : formatSubject(first.subject);
    const name = `${cluster}: ${text} has an Event`;
    const age = AGES_MS.filter((ageMs) => ports.refusals?.wasRefused(name, nowMs - ageMs)).length;
    const turn = `${age} ${text.split('/')[0]}`;
    const place = places.get(turn) ?? 0;
    places.set(turn, place + 1);
    return { why, name, age, place };
  });
  ranked.sort((a, b) => a.age - b.age || a.place - b.place);
  for (const { name } of ranked.slice(0, MAX_REFUSED)) isNewRefusal(ports, name, '');
  return ranked.flatMap(({ why }) => why);
}

/** The times since the last Event of a pod. */
const AGES_MS = [HOUR_MS, 30 * MINUTE_MS, 15 * MINUTE_MS, 5 * MINUTE_MS] as const;
