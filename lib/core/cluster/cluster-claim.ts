/** The claim of a cluster: a Lease that names the one deployment of Kerf that acts on the cluster. */
import { formatTime } from '../../apis/formats/time.ts';
import type { Blocked } from '../model/decision.ts';

/** Kerf's functions and administrators may write this Lease. Users of other namespaces cannot. */
export const CLAIM_LEASE = { namespace: 'kube-system', name: 'kerf' } as const;

/** The deployment that holds the claim. */
export interface ClusterClaim {
  /** Its name, as `deploymentName` returns it. */
  readonly deployment: string;
  readonly isOwn: boolean;
  /** @default the Lease has no acquireTime that can be read */
  readonly sinceMs?: number;
}

/** The stable name of a deployment: the account, the region and the table of its state, which has the name of the stack in it. */
export function deploymentName(place: {
  readonly account: string;
  readonly region: string;
  readonly table: string;
}): string {
  return [place.account, place.region, place.table].join('/');
}

/**
 * Whether two names are of the same deployment. A name without an account is of any account: a command that has only the name of
 * the table and the region cannot know the account.
 */
export function isSameDeployment(one: string, other: string): boolean {
  const [account, ...place] = one.split('/');
  const [otherAccount, ...otherPlace] = other.split('/');
  const isSameAccount = account === otherAccount || account === '' || otherAccount === '';
  return isSameAccount && place.join('/') === otherPlace.join('/');
}

/** Why Kerf does nothing in a cluster that another deployment holds. *Shape:* undefined if no other deployment holds it. */
export function otherDeployment(cluster: string, claim: ClusterClaim | undefined, nowMs: number): Blocked | undefined {
  if (claim === undefined || claim.isOwn) return undefined;
  const { deployment, sinceMs } = claim;
  const since = sinceMs === undefined ? '' : ` since ${formatTime(sinceMs)}`;
  const { namespace, name } = CLAIM_LEASE;
  const message =
    `cluster ${cluster} is held by another deployment of Kerf${since}, ${deployment} (account, region and table). Two deployments must ` +
    'not act on the same nodes: remove the cluster from the configuration of one of them, or set shadow for it in this one. If ' +
    `that deployment no longer exists, release the cluster (kubectl -n ${namespace} delete lease ${name})`;
  return {
    subject: { kind: 'Cluster', name: cluster },
    reason: 'OtherDeploymentActive',
    message,
    numbers: sinceMs === undefined ? {} : { heldSeconds: Math.max(0, Math.round((nowMs - sinceMs) / 1_000)) },
  };
}
