import type { PodNomination } from '../../core/cluster/nominated-node.ts';
import type { ClusterWriter } from '../../ports/cluster.ts';
import type { HasClock, RemembersRefusals } from '../run/ports.ts';
import { failureOf, notReported } from './run-notes.ts';
import { writeHints } from './write-hints.ts';

const AT_ONCE = 20;

export interface NominatedPods {
  readonly failures: readonly Error[];
  /** Whether nominations are left because there are more than one run writes. Not if none could be written: the next run would be the same. */
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
  const subjectOf = ({ pod }: PodNomination): string => `${cluster}: nominate ${pod.namespace}/${pod.name}`;
  const possible = nominations.filter((one) => refusals?.isPaused(subjectOf(one), clock.now()) !== true);
  const { failed, written, isCutShort } = await writeHints(ports, possible, {
    subjectOf,
    atOnce: AT_ONCE,
    write: async (nomination) => ports.cluster.nominatePod(nomination),
  });
  const [first] = failed;
  return {
    failures: first === undefined ? [] : notReported({ ports, cluster }, [failureOf('nominate nodes for pods', first)]),
    hasMore: isCutShort && written > 0,
  };
}
