import { SECOND_MS } from '../../apis/formats/time.ts';
import type { Blocked } from '../model/decision.ts';

/** The name of the Lease of Karpenter's leader election, in any namespace. */
export const KARPENTER_LEASE = 'karpenter-leader-election';
/** The label of Karpenter's Deployment in its chart and manifests. */
export const KARPENTER_LABEL = 'app.kubernetes.io/name=karpenter';
/** The API group of the node class that NodePools of EKS Auto Mode name. */
export const AUTO_MODE_GROUP = 'eks.amazonaws.com';

export interface KarpenterLease {
  readonly namespace: string;
  /** Empty if the lease was released. */
  readonly holder: string;
  readonly renewedAtMs: number;
  readonly durationMs: number;
}

export interface KarpenterDeployment {
  readonly namespace: string;
  readonly name: string;
  /** The desired number of replicas. */
  readonly replicas: number;
}

/** Objects in a cluster that show that another autoscaler is active. */
export interface AutoscalerTraces {
  readonly leases: readonly KarpenterLease[];
  readonly deployments: readonly KarpenterDeployment[];
  /** The names of NodePools of EKS Auto Mode. */
  readonly autoModePools: readonly string[];
  /** Resources that the API server refused to list. They do not count as evidence. */
  readonly unread: readonly string[];
}

/** Allows for clock differences and slow renewals. */
const SLACK_MS = 15 * SECOND_MS;

/**
 * The other active autoscalers of the cluster: `KarpenterActive`, `AutoModeActive`, each with instructions. *Shape:* empty if
 * Kerf is the only one.
 *
 * A lease that is released or expired shows that Karpenter was removed. A Deployment with replicas counts even if no pod runs,
 * because Karpenter without leader election has no lease, and a pod on a lost node starts again within a minute. EKS decides
 * whether Auto Mode is active; without an answer of EKS, the NodePools of Auto Mode count.
 */
export function activeAutoscalers(
  cluster: string,
  traces: AutoscalerTraces & { readonly autoMode: boolean | undefined },
  nowMs: number,
): readonly Blocked[] {
  return [...karpenter(cluster, traces, nowMs), ...autoMode(cluster, traces)];
}

function karpenter(cluster: string, { leases, deployments }: AutoscalerTraces, nowMs: number): readonly Blocked[] {
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
      : [`Deployment ${wanted.namespace}/${wanted.name} has spec.replicas ${wanted.replicas}`]),
  ];
  const target = wanted ?? { namespace: held?.namespace ?? 'kube-system', name: 'karpenter' };
  const message =
    `Karpenter runs in cluster ${cluster}: ${seen.join(', and ')}. Two autoscalers must not act on the same nodes: scale it down ` +
    `(kubectl -n ${target.namespace} scale deployment ${target.name} --replicas=0) and adopt its NodeClaims with kerf adopt, ` +
    'or set shadow for this cluster to record what Kerf would do';
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

/** A renewal in the future, from a clock that is ahead, counts as 0 seconds ago. */
function secondsSince({ renewedAtMs }: KarpenterLease, nowMs: number): number {
  return Math.max(0, Math.round((nowMs - renewedAtMs) / SECOND_MS));
}

function autoMode(
  cluster: string,
  traces: Pick<AutoscalerTraces, 'autoModePools'> & { readonly autoMode: boolean | undefined },
): readonly Blocked[] {
  const { autoModePools: pools } = traces;
  if (!(traces.autoMode ?? pools.length > 0)) return [];
  const seen =
    traces.autoMode === true
      ? 'EKS reports computeConfig.enabled'
      : `EKS did not report computeConfig, and NodePool ${pools.join(', ')} names a class of ${AUTO_MODE_GROUP}`;
  const message =
    `EKS Auto Mode runs in cluster ${cluster}: ${seen}. Two autoscalers must not act on the same pods: disable it ` +
    `(aws eks update-cluster-config --name ${cluster}, computeConfig enabled=false) and delete its NodePools, ` +
    'or set shadow for this cluster to record what Kerf would do';
  return [
    {
      subject: { kind: 'Cluster', name: cluster },
      reason: 'AutoModeActive',
      message,
      numbers: { nodePools: pools.length },
    },
  ];
}
