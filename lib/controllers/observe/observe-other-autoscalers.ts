import { activeAutoscalers } from '../../core/cluster/other-autoscalers.ts';
import type { Blocked } from '../../core/model/decision.ts';
import { PortError } from '../../ports/errors.ts';
import type { HasClock, ReadsAutoMode, ReadsCluster } from '../run/ports.ts';

export interface ObservedAutoscalers {
  /** Who else autoscales the cluster, with what to do; none where Kerf is alone. */
  readonly otherAutoscalers: readonly Blocked[];
  /** What could not be looked at. */
  readonly unknown: readonly Error[];
}

export type AutoscalerPorts = HasClock &
  ReadsAutoMode & { readonly cluster: Pick<ReadsCluster['cluster'], 'findOtherAutoscalers'> };

/**
 * Whether Karpenter or EKS Auto Mode runs in the cluster: asked by every run, and by the installer.
 *
 * What may not be looked at is reported and counts as no rival: permissions that were lost would else end the autoscaling of a
 * cluster in which there is none, and where they were there at install nobody was. EKS that does not answer is made up for by
 * the NodePools of Auto Mode, which the cluster shows. *Errors:* UnreachableError of the cluster's API, without which a run can
 * do nothing anyway.
 */
export async function observeOtherAutoscalers(ports: AutoscalerPorts, cluster: string): Promise<ObservedAutoscalers> {
  const [traces, eks] = await Promise.all([ports.cluster.findOtherAutoscalers(), askEks(ports)]);
  const otherAutoscalers = activeAutoscalers(cluster, { ...traces, autoMode: eks.autoMode }, ports.clock.now());
  const unread = traces.unread.map((why) => new Error(`whether another autoscaler runs is not known: ${why}`));
  return { otherAutoscalers, unknown: [...unread, ...eks.unknown] };
}

async function askEks({
  cloud,
}: ReadsAutoMode): Promise<{ readonly autoMode: boolean | undefined; readonly unknown: readonly Error[] }> {
  try {
    return { autoMode: await cloud.autoMode(), unknown: [] };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    const unknown = new Error(`whether EKS Auto Mode runs is not known: ${error.message}`, { cause: error });
    return { autoMode: undefined, unknown: [unknown] };
  }
}
