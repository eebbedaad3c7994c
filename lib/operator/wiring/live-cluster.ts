/** Wires `kerf snapshot`: one cluster, as kubectl reaches it. */

import type { ClusterReader, LimitRangeReader } from '../../ports/cluster.ts';
import { RefusedError } from '../../ports/errors.ts';
import { ApiClient } from '../../providers/kubernetes/client/api-client.ts';
import type { KubeconfigAccess, KubeconfigChoice } from '../../providers/kubernetes/client/kubeconfig.ts';
import { KubernetesCluster } from '../../providers/kubernetes/kubernetes-cluster.ts';
import { systemClock } from '../lambda/system-clock.ts';
import { OptionError } from '../options/option-values.ts';

/** Reads the cluster of a kubeconfig's context. *Errors:* OptionError for a kubeconfig that cannot be used. */
export async function wireLiveCluster(choice: KubeconfigChoice): Promise<ClusterReader & LimitRangeReader> {
  return new KubernetesCluster({ client: new ApiClient(await kubeconfigOptions(choice)), clock: systemClock });
}

/** *Errors:* OptionError for a kubeconfig that cannot be used. */
export async function kubeconfigOptions(choice: KubeconfigChoice): Promise<KubeconfigAccess> {
  // Loaded on demand: client-node loads slowly.
  const { kubeconfigAccess } = await import('../../providers/kubernetes/client/kubeconfig.ts');
  return await kubeconfigAccess(choice).catch((cause: unknown) => {
    throw cause instanceof RefusedError ? new OptionError(cause.message, { cause }) : cause;
  });
}
