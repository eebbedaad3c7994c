import { SECOND_MS } from '../../apis/time.ts';
import type { Blocked } from '../action.ts';

/** The name of Karpenter's leader election, in whatever namespace it runs. */
export const KARPENTER_LEASE = 'karpenter-leader-election';
/** What its chart and its manifests label its Deployment with. */
export const KARPENTER_LABEL = 'app.kubernetes.io/name=karpenter';
/** NodePools of EKS Auto Mode name a class of this group. */
export const AUTO_MODE_GROUP = 'eks.amazonaws.com';

export interface KarpenterLease {
  readonly namespace: string;
  /** Empty where it was given back. */
  readonly holder: string;
  readonly renewedAtMs: number;
  readonly durationMs: number;
}

export interface KarpenterDeployment {
  readonly namespace: string;
  readonly name: string;
  /** How many there are to be. */
  readonly replicas: number;
}

/** What other autoscalers leave in a cluster's API while they are at work. */
export interface RivalTraces {
  readonly leases: readonly KarpenterLease[];
  readonly deployments: readonly KarpenterDeployment[];
  /** NodePools of EKS Auto Mode, by name. */
  readonly autoModePools: readonly string[];
  /** What the API server refused to show: nothing is concluded from it. */
  readonly unread: readonly string[];
}

/** The clocks of two machines, and an API server that was slow to take a renewal. */
const SLACK_MS = 15 * SECOND_MS;

/**
 * Who else autoscales the cluster just now: `KarpenterActive`, `AutoModeActive`, with what to do. *Shape:* none where Kerf is alone.
 *
 * A lease that nobody renews is a Karpenter that was taken away: it is given back by one that ends in order, and lapses after one
 * that does not. A Deployment that wants replicas counts whether or not they run: Karpenter without leader election has no lease,
 * and one whose node is gone is back in a minute. Of Auto Mode EKS has the last word, and NodePools count where it says nothing.
 */
export function activeRivals(
  cluster: string,
  traces: RivalTraces & { readonly autoMode: boolean | undefined },
  nowMs: number,
): readonly Blocked[] {
  return [...karpenter(cluster, traces, nowMs), ...autoMode(cluster, traces)];
}

function karpenter(cluster: string, { leases, deployments }: RivalTraces, nowMs: number): readonly Blocked[] {
  const held = leases.find((lease) => isHeld(lease, nowMs));
  const wanted = deployments.find(({ replicas }) => replicas > 0);
  if (held === undefined && wanted === undefined) return [];
  const seen = [
    ...(held === undefined
      ? []
      : [
          `Lease ${held.namespace}/${KARPENTER_LEASE} is held by ${held.holder}, renewed ${secondsSince(held, nowMs)} s ago`,
        ]),
    ...(wanted === undefined
      ? []
      : [`Deployment ${wanted.namespace}/${wanted.name} is to have ${wanted.replicas} replicas`]),
  ];
  const target = wanted ?? { namespace: held?.namespace ?? 'kube-system', name: 'karpenter' };
  const message =
    `Karpenter runs in cluster ${cluster}: ${seen.join(', and ')}. Two autoscalers must not act on the same nodes: scale it down ` +
    `(kubectl -n ${target.namespace} scale deployment ${target.name} --replicas=0) and take over what it left with kerf adopt, ` +
    'or set shadow for this cluster to watch what Kerf would do';
  const numbers = {
    ...(held === undefined
      ? {}
      : { renewedSecondsAgo: secondsSince(held, nowMs), leaseSeconds: held.durationMs / SECOND_MS }),
    ...(wanted === undefined ? {} : { replicas: wanted.replicas }),
  };
  return [{ subject: { kind: 'Cluster', name: cluster }, reason: 'KarpenterActive', message, numbers }];
}

function isHeld({ holder, renewedAtMs, durationMs }: KarpenterLease, nowMs: number): boolean {
  return holder !== '' && nowMs < renewedAtMs + durationMs + SLACK_MS;
}

/** A renewal from a clock that runs ahead is one of just now. */
function secondsSince({ renewedAtMs }: KarpenterLease, nowMs: number): number {
  return Math.max(0, Math.round((nowMs - renewedAtMs) / SECOND_MS));
}

function autoMode(
  cluster: string,
  traces: Pick<RivalTraces, 'autoModePools'> & { readonly autoMode: boolean | undefined },
): readonly Blocked[] {
  const { autoModePools: pools } = traces;
  if (!(traces.autoMode ?? pools.length > 0)) return [];
  const seen =
    traces.autoMode === true
      ? 'EKS says that its compute is enabled'
      : `EKS is not asked, and NodePool ${pools.join(', ')} names a class of ${AUTO_MODE_GROUP}`;
  const message =
    `EKS Auto Mode runs in cluster ${cluster}: ${seen}. Two autoscalers must not answer the same pods: disable it ` +
    `(aws eks update-cluster-config --name ${cluster}, computeConfig enabled=false) and delete its NodePools, ` +
    'or set shadow for this cluster to watch what Kerf would do';
  return [
    {
      subject: { kind: 'Cluster', name: cluster },
      reason: 'AutoModeActive',
      message,
      numbers: { nodePools: pools.length },
    },
  ];
}
