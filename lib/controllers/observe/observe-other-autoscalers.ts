import { type AutoModeSigns, activeAutoscalers, ignoredAutoscalers } from '../../core/cluster/other-autoscalers.ts';
import type { Blocked } from '../../core/model/decision.ts';
import { read, readOr } from '../../core/observed.ts';
import type { HasClock, ReadsAutoMode, ReadsCluster } from '../run/ports.ts';
import { readings } from './readings.ts';

export interface ObservedAutoscalers {
  /** A refusal for each active autoscaler, with what to do. Empty if only Kerf is active. */
  readonly otherAutoscalers: readonly Blocked[];
  /** The signs that do not count, because a user of one namespace can create them. @default none was found */
  readonly ignored?: Blocked;
  /** Whether no deployment of Kerf is known to hold the cluster. */
  readonly isUnclaimed: boolean;
  /** Signs that could not be read. */
  readonly unknown: readonly Error[];
}

export type AutoscalerPorts = HasClock &
  ReadsAutoMode & { readonly cluster: Pick<ReadsCluster['cluster'], 'findOtherAutoscalers' | 'listAutoModePools'> };

/**
 * Checks whether Karpenter, EKS Auto Mode or another deployment of Kerf is active in the cluster. Every run calls it.
 *
 * Signs that Kerf may not read are reported, and Kerf continues: otherwise a lost permission would stop the autoscaling of a
 * cluster without another autoscaler. If EKS does not answer, the NodePools of Auto Mode in the cluster are a sign.
 * *Errors:* UnreachableError of the cluster's API.
 */
export async function observeOtherAutoscalers(ports: AutoscalerPorts, cluster: string): Promise<ObservedAutoscalers> {
  const [traces, eks] = await Promise.all([ports.cluster.findOtherAutoscalers(), readAutoMode(ports)]);
  const nowMs = ports.clock.now();
  const { autoMode, autoModePools } = eks;
  const otherAutoscalers = activeAutoscalers(cluster, { ...traces, autoMode, autoModePools }, nowMs);
  const ignored = ignoredAutoscalers(cluster, traces, nowMs);
  const unread = traces.unread.map((why) => new Error(`failed to check for other autoscalers: ${why}`));
  const isUnclaimed = traces.claim === undefined;
  return { otherAutoscalers, ...(ignored && { ignored }), isUnclaimed, unknown: [...unread, ...eks.unknown] };
}

type AutoMode = AutoModeSigns & { readonly unknown: readonly Error[] };

async function readAutoMode({ cloud, cluster }: Omit<AutoscalerPorts, 'clock'>): Promise<AutoMode> {
  const log = readings();
  const autoMode = readOr(await log.observe('EKS Auto Mode', async () => cloud.autoMode()), undefined);
  const pools =
    autoMode === undefined
      ? await log.observe('NodePools of EKS Auto Mode', async () => cluster.listAutoModePools())
      : read([]);
  const unknown = [...log.failures].map(
    ([what, cause]) => new Error(`failed to check for ${what}: ${cause.message}`, { cause }),
  );
  return { autoMode, autoModePools: readOr(pools, []), unknown };
}
