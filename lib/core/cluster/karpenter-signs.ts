/** The signs of Karpenter in a cluster: its Lease and its Deployment. A sign counts only if a user of one namespace cannot forge it. */
import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { compareText } from '../compare-text.ts';

/** The name of the Lease of Karpenter's leader election. */
export const KARPENTER_LEASE = 'karpenter-leader-election';
/** The label of Karpenter's Deployment in its chart and manifests. */
export const KARPENTER_LABEL = 'app.kubernetes.io/name=karpenter';
/** The namespaces in which Karpenter's documentation installs it. */
export const KARPENTER_NAMESPACES: readonly string[] = ['kube-system', 'karpenter'];

export interface KarpenterLease {
  readonly namespace: string;
  /** Empty if the lease was released. */
  readonly holder: string;
  /** @default its renewTime is not a time, such as one of the year 10000 that the API server makes of another zone */
  readonly renewedAtMs?: number;
  readonly durationMs: number;
}

export interface KarpenterDeployment {
  readonly namespace: string;
  readonly name: string;
  /** The desired number of replicas. */
  readonly replicas: number;
  /** The number of ready pods. */
  readonly ready: number;
  /** The name of the service account of its pods. */
  readonly serviceAccount: string;
}

export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

export interface KarpenterSigns {
  readonly leases: readonly KarpenterLease[];
  readonly deployments: readonly KarpenterDeployment[];
  /** The namespaces in which signs count. */
  readonly namespaces: readonly string[];
  /** Service accounts of these namespaces that may create NodeClaims, or whose rights Kerf may not read. */
  readonly writers: readonly ServiceAccount[];
}

/** A sign that does not show that Karpenter is active. */
export interface IgnoredSign {
  /** `Lease team-a/karpenter-leader-election`. */
  readonly sign: string;
  readonly why: string;
}

/** Allows for clock differences and slow renewals. */
const SLACK_MS = 15 * SECOND_MS;
/** Karpenter's lease lasts 15 s. A longer duration must not keep an abandoned lease alive. */
const MAX_DURATION_MS = MINUTE_MS;
/** The largest difference between two clocks. A later renewal was not written by a running Karpenter. */
const MAX_SKEW_MS = 2 * MINUTE_MS;

/** The first lease and the first Deployment that show that Karpenter is active. */
export function activeKarpenter(
  signs: KarpenterSigns,
  nowMs: number,
): { readonly lease: KarpenterLease | undefined; readonly deployment: KarpenterDeployment | undefined } {
  return {
    lease: signs.leases.find((lease) => isHeld(lease, nowMs) && whyLeaseIgnored(signs, lease, nowMs) === undefined),
    deployment: signs.deployments.find((one) => one.replicas > 0 && whyDeploymentIgnored(signs, one) === undefined),
  };
}

/** The signs that are present and do not count, by name. */
export function ignoredSigns(signs: KarpenterSigns, nowMs: number): readonly IgnoredSign[] {
  const leases = signs.leases
    .filter((lease) => lease.renewedAtMs === undefined || isHeld(lease, nowMs))
    .map((lease) => ({
      sign: `Lease ${lease.namespace}/${KARPENTER_LEASE}`,
      why: whyLeaseIgnored(signs, lease, nowMs),
    }));
  const deployments = signs.deployments
    .filter(({ replicas }) => replicas > 0)
    .map((one) => ({ sign: `Deployment ${one.namespace}/${one.name}`, why: whyDeploymentIgnored(signs, one) }));
  return [...leases, ...deployments]
    .flatMap(({ sign, why }) => (why === undefined ? [] : [{ sign, why }]))
    .toSorted((a, b) => compareText(a.sign, b.sign));
}

/** Whether a lease has a holder that renewed it in time. */
export function isHeld({ holder, renewedAtMs, durationMs }: KarpenterLease, nowMs: number): boolean {
  if (holder === '' || renewedAtMs === undefined) return false;
  return nowMs < renewedAtMs + Math.min(durationMs, MAX_DURATION_MS) + SLACK_MS;
}

function whyLeaseIgnored(
  { namespaces, writers }: KarpenterSigns,
  { namespace, renewedAtMs }: KarpenterLease,
  nowMs: number,
): string | undefined {
  if (!namespaces.includes(namespace)) return whyNamespace(namespace, namespaces);
  if (renewedAtMs === undefined) return 'its renewTime is not a time';
  const aheadMs = renewedAtMs - nowMs;
  if (aheadMs > MAX_SKEW_MS) {
    return `it is renewed ${Math.round(aheadMs / SECOND_MS)} s in the future, more than ${MAX_SKEW_MS / SECOND_MS} s`;
  }
  if (writers.some((writer) => writer.namespace === namespace)) return undefined;
  return `no service account of a Deployment in namespace ${namespace} may create nodeclaims.karpenter.sh`;
}

function whyDeploymentIgnored(
  { namespaces, writers }: KarpenterSigns,
  { namespace, ready, replicas, serviceAccount: name }: KarpenterDeployment,
): string | undefined {
  if (!namespaces.includes(namespace)) return whyNamespace(namespace, namespaces);
  if (ready === 0) return `none of its ${replicas} replicas is ready`;
  if (writers.some((writer) => writer.namespace === namespace && writer.name === name)) return undefined;
  return `its service account ${name} may not create nodeclaims.karpenter.sh`;
}

function whyNamespace(namespace: string, namespaces: readonly string[]): string {
  return `namespace ${namespace} is not in karpenterNamespaces (${namespaces.join(', ')})`;
}
