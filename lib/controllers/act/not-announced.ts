import type { Blocked, Decision } from '../../core/model/decision.ts';
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

/**
 * The decision with the refusals that are announced now, on the bus and as Events. A waiting pod has its refusal after each decision
 * (F16), and every other object once an hour. That a node is too young to be consolidated is not announced: it is true of every node
 * after each change of its pods.
 */
export function withoutAnnounced(ports: HasClock & RemembersRefusals, decision: Decision): Decision {
  const { cluster, blocked } = decision;
  const ofOthers = blocked.filter((one) => !isOfPod(one) && one.reason !== 'ConsolidateAfter');
  return { ...decision, blocked: [...blocked.filter(isOfPod), ...notAnnounced(ports, cluster, ofOthers)] };
}

function isOfPod({ subject }: Blocked): boolean {
  return subject.kind === 'Pod';
}
