import { otherDeployment } from '../../core/cluster/cluster-claim.ts';
import { activeAutoscalers } from '../../core/cluster/other-autoscalers.ts';
import type { Blocked } from '../../core/model/decision.ts';
import type { Installation } from '../../ports/installation.ts';
import type { HasClock } from '../run/ports.ts';

interface Held {
  readonly failures: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Whether another deployment holds the cluster. It is claimed before anything is written there. A deployment in shadow claims
 * nothing: it uses what the other deployment has installed. *Shape:* undefined if the installation continues.
 */
export async function whyHeld(
  { clock }: HasClock,
  installation: Installation,
  { cluster, shadow = false }: { readonly cluster: string; readonly shadow?: boolean },
): Promise<Held | undefined> {
  const claim = shadow ? await installation.readClaim() : await installation.claimCluster();
  const other = otherDeployment(cluster, claim, clock.now());
  if (other === undefined) return undefined;
  if (!shadow) return { failures: [other.message], notes: [] };
  return { failures: [], notes: [`the cluster keeps what its deployment ${claim?.deployment} has installed`] };
}

/** The other active autoscalers. The installer does not ask EKS, so NodePools are the sign of Auto Mode. */
export async function autoscalersIn(
  { clock }: HasClock,
  installation: Installation,
  cluster: string,
): Promise<readonly Blocked[]> {
  const [traces, autoModePools] = await Promise.all([
    installation.findOtherAutoscalers(),
    installation.listAutoModePools(),
  ]);
  return activeAutoscalers(cluster, { ...traces, autoMode: undefined, autoModePools }, clock.now());
}
