import type { EksAccess, EksCluster } from '../providers/aws/eks-access.ts';
import type { ClusterOptions } from './cluster-options.ts';

/** Where a cluster is: what the configuration says, and EKS for the rest. */
export interface ClusterAccess {
  /** Where its API answers, and the PEM that vouches for it: without one, the system's authorities are believed. */
  server(): Promise<{ readonly endpoint: string; readonly certificateAuthority?: string }>;
  /** What its nodes must know. *Errors:* those of EksAccess, unless the configuration says all of it. */
  describe(): Promise<EksCluster>;
  /** Whether EKS Auto Mode runs in it; undefined where the configuration says all that EKS would be asked for. */
  autoMode(): Promise<boolean | undefined>;
}

export function clusterAccess(options: ClusterOptions, eks: Pick<EksAccess, 'describe' | 'autoMode'>): ClusterAccess {
  const { endpoint, certificateAuthority, serviceCidr, kubernetesVersion } = options;
  const known = knownBootstrap(options);
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
      if (known !== undefined) return known;
      const found = await eks.describe();
      const bootstrap = {
        ...found.bootstrap,
        ...(endpoint !== undefined && { endpoint }),
        ...(certificateAuthority !== undefined && { certificateAuthority }),
        ...(serviceCidr !== undefined && { serviceCidr }),
      };
      return { bootstrap, kubernetesVersion: kubernetesVersion ?? found.kubernetesVersion };
    },
    async autoMode() {
      return known === undefined ? await eks.autoMode() : undefined;
    },
  };
}

/** A node does not join an API server that nobody vouches for: EKS is asked for what is missing. */
function knownBootstrap({ name: clusterName, ...options }: ClusterOptions): EksCluster | undefined {
  const { endpoint, serviceCidr, kubernetesVersion } = options;
  const certificateAuthority =
    options.certificateAuthority ?? (endpoint?.startsWith('http:') === true ? '' : undefined);
  if (endpoint === undefined || serviceCidr === undefined) return undefined;
  if (kubernetesVersion === undefined || certificateAuthority === undefined) return undefined;
  return { bootstrap: { clusterName, endpoint, certificateAuthority, serviceCidr }, kubernetesVersion };
}
