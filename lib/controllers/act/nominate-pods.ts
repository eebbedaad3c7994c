import { SECOND_MS } from '../../apis/formats/time.ts';
import type { PodNomination } from '../../core/cluster/nominated-node.ts';
import { inParallel } from '../../core/in-parallel.ts';
import type { ClusterWriter } from '../../ports/cluster.ts';
import { PortError } from '../../ports/errors.ts';
import type { HasClock, RemembersRefusals } from '../run/ports.ts';
import { isNewRefusal } from './is-new-refusal.ts';
import { failureOf, notReported } from './run-notes.ts';

/** The limits of one run. The next run decides again, and continues. */
const MAX_WRITES = 2_000;
const MAX_MS = 10 * SECOND_MS;
const AT_ONCE = 20;
/** A ClusterRole without the permission refuses every pod; a policy may refuse single pods. */
const MAX_FAILURES = 10;

export interface NominatedPods {
  readonly failures: readonly Error[];
  /** Whether nominations are left because there are more than one run writes. */
  readonly hasMore: boolean;
}

/**
 * B66: writes nominations in order, a few at a time. They are hints: a failure never fails the run, and is reported once. A pod whose
 * nomination is refused is left out for five minutes to an hour, so that the others get their turn.
 * *Cost:* a request for each nomination, 2,000 and ten seconds at most.
 */
export async function nominatePods(
  ports: { readonly cluster: Pick<ClusterWriter, 'nominatePod'> } & HasClock & RemembersRefusals,
  cluster: string,
  nominations: readonly PodNomination[],
): Promise<NominatedPods> {
  const { clock, refusals } = ports;
  const untilMs = clock.now() + MAX_MS;
  const subjectOf = ({ pod }: PodNomination): string => `${cluster}: nominate ${pod.namespace}/${pod.name}`;
  const possible = nominations.filter((one) => refusals?.isPaused(subjectOf(one), clock.now()) !== true);
  const failed: PortError[] = [];
  let isLate = false;
  await inParallel(possible.slice(0, MAX_WRITES), AT_ONCE, async (nomination) => {
    isLate ||= clock.now() >= untilMs;
    if (isLate || failed.length >= MAX_FAILURES) return;
    try {
      await ports.cluster.nominatePod(nomination);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      if (!error.retryable) isNewRefusal(ports, subjectOf(nomination), error.message);
      failed.push(error);
    }
  });
  const [first] = failed;
  return {
    failures: first === undefined ? [] : notReported({ ports, cluster }, [failureOf('nominate nodes for pods', first)]),
    hasMore: failed.length === 0 && (isLate || possible.length > MAX_WRITES),
  };
}
