import { SECOND_MS } from '../../apis/formats/time.ts';
import type { Blocked } from '../model/decision.ts';
import { type ClusterClaim, otherDeployment } from './cluster-claim.ts';
import {
  activeKarpenter,
  type IgnoredSign,
  ignoredSigns,
  KARPENTER_LEASE,
  type KarpenterLease,
  type KarpenterSigns,
} from './karpenter-signs.ts';

/** The API group of the node class that NodePools of EKS Auto Mode name. */
export const AUTO_MODE_GROUP = 'eks.amazonaws.com';

/** Objects in a cluster that show that another autoscaler is active. */
export interface AutoscalerTraces extends KarpenterSigns {
  /** The deployment of Kerf that holds the cluster. @default none holds it, or Kerf may not read the Lease */
  readonly claim?: ClusterClaim;
  /** Resources that the API server refused to read. */
  readonly unread: readonly string[];
}

export interface AutoModeSigns {
  /** Whether EKS reports that Auto Mode is enabled; undefined without an answer. */
  readonly autoMode: boolean | undefined;
  /** The names of NodePools of EKS Auto Mode. Used only without an answer of EKS. */
  readonly autoModePools: readonly string[];
}

/** The number of ignored signs that a message names. Anyone can create more of them. */
const MAX_NAMED = 3;

/**
 * The other active autoscalers of the cluster: `KarpenterActive`, `AutoModeActive`, `OtherDeploymentActive`, each with
 * instructions. *Shape:* empty if this deployment of Kerf is the only one.
 *
 * Karpenter is active if its lease is held, or if its Deployment has a ready pod, because Karpenter without leader election has no
 * lease. A lease that is released or expired shows that Karpenter was removed. EKS decides whether Auto Mode is active; without an
 * answer of EKS, the NodePools of Auto Mode count. NodePools have no namespace, so a user of one namespace cannot create them.
 */
export function activeAutoscalers(
  cluster: string,
  traces: AutoscalerTraces & AutoModeSigns,
  nowMs: number,
): readonly Blocked[] {
  const other = otherDeployment(cluster, traces.claim, nowMs);
  return [...karpenter(cluster, traces, nowMs), ...autoMode(cluster, traces), ...(other === undefined ? [] : [other])];
}

/**
 * A report of the signs of Karpenter that do not count, because a user of one namespace can create them. *Shape:* undefined if
 * there is none.
 */
export function ignoredAutoscalers(cluster: string, traces: KarpenterSigns, nowMs: number): Blocked | undefined {
  const ignored = ignoredSigns(traces, nowMs);
  if (ignored.length === 0) return undefined;
  const message =
    `Kerf continues in cluster ${cluster} and ignores ${inWords(ignored)}. If Karpenter runs there, add its namespace to ` +
    'karpenterNamespaces and keep its rights; otherwise delete the object';
  return {
    subject: { kind: 'Cluster', name: cluster },
    reason: 'UnprovenAutoscaler',
    message,
    numbers: { signs: ignored.length },
  };
}

function inWords(ignored: readonly IgnoredSign[]): string {
  const named = ignored.slice(0, MAX_NAMED).map(({ sign, why }) => `${sign}: ${why}`);
  const others = ignored.length > MAX_NAMED ? [`and ${ignored.length - MAX_NAMED} more`] : [];
  return [...named, ...others].join('; ');
}

function karpenter(cluster: string, traces: AutoscalerTraces, nowMs: number): readonly Blocked[] {
  const { lease: held, deployment: wanted } = activeKarpenter(traces, nowMs);
  if (held === undefined && wanted === undefined) return [];
  const seen = [
    ...(held === undefined
      ? []
      : [
          `Lease ${held.namespace}/${KARPENTER_LEASE} is held by ${held.holder}, renewed ${secondsSince(held, nowMs)} s ago`,
        ]),
    ...(wanted === undefined
      ? []
      : [
          `Deployment ${wanted.namespace}/${wanted.name} has spec.replicas ${wanted.replicas} and ${wanted.ready} ready`,
        ]),
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
    ...(wanted === undefined ? {} : { replicas: wanted.replicas, ready: wanted.ready }),
  };
  return [{ subject: { kind: 'Cluster', name: cluster }, reason: 'KarpenterActive', message, numbers }];
}

/** A renewal in the future, from a clock that is ahead, counts as 0 seconds ago. */
function secondsSince({ renewedAtMs }: KarpenterLease, nowMs: number): number {
  return Math.max(0, Math.round((nowMs - (renewedAtMs ?? nowMs)) / SECOND_MS));
}

function autoMode(cluster: string, traces: AutoModeSigns): readonly Blocked[] {
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
