import { SECOND_MS, timeIn } from '../../apis/formats/time.ts';
import type { Pod } from '../../apis/kubernetes.ts';
import { isProvisionable } from '../../core/cluster/pods.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import { type ProvisioningVerdict, provision } from '../../core/provisioning/provision.ts';
import { portErrorOf } from '../../ports/errors.ts';
import type { UnusedLaunchesStore } from '../../ports/node-claim-store.ts';
import { failureOf, notReported } from '../act/run-notes.ts';
import type { Readings } from '../observe/readings.ts';
import { type NamedDecision, nameDecision } from '../run/cluster-decision.ts';
import type { HasClock, HasSettings, RemembersRefusals } from '../run/ports.ts';

export type LaunchesPorts = HasClock & { readonly store: UnusedLaunchesStore };

export interface Decided {
  readonly snapshot: ClusterSnapshot;
  readonly named: NamedDecision;
  readonly verdict: ProvisioningVerdict;
}

/**
 * Decides, with the launches that pods have not used (B70), which are read only if they can matter: a node would be launched for a pod that
 * is not new, or one more launch counts. *Cost:* one read then, and one more decision if there are unused launches. If they cannot be read,
 * nodes are launched as if there were none.
 */
export async function decide(
  ports: LaunchesPorts & HasSettings,
  snapshot: ClusterSnapshot,
  log: Readings,
): Promise<Decided> {
  const first = decideOn(ports, snapshot);
  if (!needsLaunches(first)) return first;
  const { cluster } = snapshot;
  const launches = await log.observe('unused launches', async () => ports.store.readUnusedLaunches(cluster));
  if (launches.kind === 'unread') return first;
  const counted = { ...snapshot, unusedLaunches: launches.value };
  return launches.value.length === 0 ? { ...first, snapshot: counted } : decideOn(ports, counted);
}

function decideOn(ports: HasClock & HasSettings, snapshot: ClusterSnapshot): Decided {
  const named = nameDecision(ports, 'provisioning', snapshot);
  return { snapshot, named, verdict: provision(snapshot, { decisionId: named.id, nowMs: named.atMs }) };
}

/** No launch for a younger pod is counted yet: its node would have to start, and to be ready for ten seconds. */
const MIN_AGE_MS = 30 * SECOND_MS;

function needsLaunches({ named, verdict: { schedule, unusedLaunches } }: Decided): boolean {
  const isOld = ({ metadata }: Pod): boolean =>
    (timeIn(metadata.creationTimestamp) ?? Infinity) <= named.atMs - MIN_AGE_MS;
  return (
    unusedLaunches !== undefined ||
    schedule.newClaims.some(({ pods }) => pods.some((pod) => isProvisionable(pod) && isOld(pod)))
  );
}

/** Nothing is written over what could not be read. *Shape:* the failure. A later run counts the launches again while their NodeClaims exist. */
export async function keepUnusedLaunches(
  ports: LaunchesPorts & RemembersRefusals,
  { snapshot: { cluster, unusedLaunches: before }, verdict: { unusedLaunches } }: Decided,
): Promise<readonly Error[]> {
  if (before === undefined || unusedLaunches === undefined) return [];
  try {
    await ports.store.writeUnusedLaunches(cluster, unusedLaunches);
    return [];
  } catch (cause) {
    return notReported({ ports, cluster }, [failureOf('unused launches', portErrorOf(cause))]);
  }
}
