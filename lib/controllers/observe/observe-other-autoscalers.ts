import { activeAutoscalers, ignoredAutoscalers } from '../../core/cluster/other-autoscalers.ts';
import type { Blocked } from '../../core/model/decision.ts';
import { PortError } from '../../ports/errors.ts';
import type { HasClock, ReadsAutoMode, ReadsCluster } from '../run/ports.ts';

export interface ObservedAutoscalers {
  /** A refusal for each active autoscaler, with what to do. Empty if only Kerf is active. */
  readonly otherAutoscalers: readonly Blocked[];
  /** The signs that do not count, because a user of one namespace can create them. @default none was found */
  readonly ignored?: Blocked;
  /** Signs that could not be read. */
  readonly unknown: readonly Error[];
}

export type AutoscalerPorts = HasClock &
  ReadsAutoMode & { readonly cluster: Pick<ReadsCluster['cluster'], 'findOtherAutoscalers'> };

/**
 * Checks whether Karpenter or EKS Auto Mode is active in the cluster. Every run calls it.
 *
 * Signs that Kerf may not read are reported, and Kerf continues: otherwise a lost permission would stop the autoscaling of a
 * cluster without another autoscaler. If EKS does not answer, the NodePools of Auto Mode in the cluster are a sign.
 * *Errors:* UnreachableError of the cluster's API.
 */
export async function observeOtherAutoscalers(ports: AutoscalerPorts, cluster: string): Promise<ObservedAutoscalers> {
  const [traces, eks] = await Promise.all([ports.cluster.findOtherAutoscalers(), readAutoMode(ports)]);
  const nowMs = ports.clock.now();
  const otherAutoscalers = activeAutoscalers(cluster, { ...traces, autoMode: eks.autoMode }, nowMs);
  const ignored = ignoredAutoscalers(cluster, traces, nowMs);
  const unread = traces.unread.map((why) => new Error(`failed to check for other autoscalers: ${why}`));
  return { otherAutoscalers, ...(ignored && { ignored }), unknown: [...unread, ...eks.unknown] };
}

async function readAutoMode({
  cloud,
}: ReadsAutoMode): Promise<{ readonly autoMode: boolean | undefined; readonly unknown: readonly Error[] }> {
  try {
    return { autoMode: await cloud.autoMode(), unknown: [] };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    const unknown = new Error(`failed to check for EKS Auto Mode: ${error.message}`, { cause: error });
    return { autoMode: undefined, unknown: [unknown] };
  }
}
