import { doSeveralStart, lostNominations } from '../../core/provisioning/follow-plan/pod-nominations.ts';
import { PortError } from '../../ports/errors.ts';
import type { Wake } from '../../ports/messages.ts';
import { reasonsOf } from '../run/coalesce-wakes.ts';
import type {
  HasClock,
  HasSettings,
  ReadsClaims,
  ReadsCluster,
  RemembersRefusals,
  WritesCluster,
} from '../run/ports.ts';
import { nominatePods } from './nominate-pods.ts';
import { failureOf, notReported } from './run-notes.ts';

type NominatingPorts = ReadsCluster & WritesCluster & ReadsClaims & HasSettings & HasClock & RemembersRefusals;

/**
 * B66: writes the nominations again that pods have lost while their nodes start, without a decision: a batch may collect wakes for ten
 * seconds, and the kube-scheduler binds pods meanwhile. Only for wakes that lifecycle sends because a node has joined or become ready: the
 * wakes of a burst of pods would list hundreds of claims each. *Shape:* the failures: a nomination is a hint. *Cost:* a list of the
 * NodeClaims; if nodes start, a list of unbound pods, and a request for each lost nomination.
 */
export async function renominatePods(
  ports: NominatingPorts,
  wake: Pick<Wake, 'cluster' | 'reason'>,
): Promise<readonly Error[]> {
  const { cluster } = wake;
  const { shadow, nominatePods: isOn } = ports.settings;
  if (shadow || !isOn || !reasonsOf(wake).includes('nominations')) return [];
  try {
    const records = await ports.store.listNodeClaims(cluster);
    if (!doSeveralStart(records)) return [];
    const { failures } = await nominatePods(
      ports,
      cluster,
      lostNominations(await ports.cluster.listUnboundPods(), records),
    );
    return failures;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return notReported({ ports, cluster }, [failureOf('nominate nodes for pods again', error)]);
  }
}
