import type { EksAccess, EksCluster } from '../providers/aws/eks-access.ts';
import type { ClusterOptions } from './cluster-options.ts';

/** Where a cluster is: what the configuration says, and EKS for the rest. */
export interface ClusterAccess {
  /** Where its API answers, and the PEM that vouches for it: without one, the system's authorities are believed. */
  server(): Promise<{ readonly endpoint: string; readonly certificateAuthority?: string }>;
  /** What its nodes must know. *Errors:* those of EksAccess, unless the configuration says all of it. */
  describe(): Promise<EksCluster>;
}

export function clusterAccess(options: ClusterOptions, eks: Pick<EksAccess, 'describe'>): ClusterAccess {
  const { name, endpoint, certificateAuthority, serviceCidr, kubernetesVersion } = options;
  return {
    async server() {
      const server =
        endpoint === undefined ? (await eks.describe()).bootstrap : { endpoint, certificateAuthority: undefined };
      const authority = certificateAuthority ?? server.certificateAuthority;
      return {
        endpoint: server.endpoint,
        ...(authority !== undefined && { certificateAuthority: Buffer.from(authority, 'base64').toString('utf8') }),
      };
    },
    async describe() {
      const vouched = certificateAuthority ?? (endpoint?.startsWith('http:') === true ? '' : undefined);
      const known = endpoint !== undefined && serviceCidr !== undefined && kubernetesVersion !== undefined;
      // A node does not join an API server that nobody vouches for: EKS is asked for what is missing.
      if (known && vouched !== undefined) {
        const bootstrap = { clusterName: name, endpoint, certificateAuthority: vouched, serviceCidr };
        return { bootstrap, kubernetesVersion };
      }
      const found = await eks.describe();
      const bootstrap = {
        ...found.bootstrap,
        ...(endpoint !== undefined && { endpoint }),
        ...(certificateAuthority !== undefined && { certificateAuthority }),
        ...(serviceCidr !== undefined && { serviceCidr }),
      };
      return { bootstrap, kubernetesVersion: kubernetesVersion ?? found.kubernetesVersion };
    },
  };
}
