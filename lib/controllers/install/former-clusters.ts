import type { ClusterMessage } from '../../core/install/cluster-messages.ts';
import type { ClusterFunction } from '../../core/install/rbac.ts';
import type { AccessEntries } from '../../ports/access-entries.ts';
import { portErrorOf } from '../../ports/errors.ts';

export interface FormerCluster {
  readonly cluster: string;
  /** Whether Kerf installed more than access entries. */
  readonly installed: boolean;
}

interface Roles {
  readonly functions: Readonly<Record<ClusterFunction, string>>;
  readonly installer: string;
}

/**
 * Finds the clusters of the account that are no longer configured and in which this deployment still has access. EKS is the
 * record: only a principal with access to a cluster can change it. *Cost:* one call for each cluster that is not configured.
 */
export async function formerClusters(
  entries: Pick<AccessEntries, 'clusters' | 'find'>,
  configured: ReadonlySet<string>,
  { functions, installer }: Roles,
): Promise<{ readonly former: readonly FormerCluster[]; readonly failures: readonly ClusterMessage[] }> {
  const former: FormerCluster[] = [];
  const failures: ClusterMessage[] = [];
  for (const cluster of (await entries.clusters()).filter((name) => !configured.has(name))) {
    try {
      const installed = (await entries.find(cluster, installer)) !== undefined;
      if (installed || (await entries.find(cluster, functions.lifecycle)) !== undefined) {
        former.push({ cluster, installed });
      }
    } catch (error) {
      failures.push({ cluster, message: portErrorOf(error).message });
    }
  }
  return { former, failures };
}
