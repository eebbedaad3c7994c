import { optional } from '../../apis/optional.ts';
import type { EksAccess, EksCluster } from '../../providers/aws/eks/eks-access.ts';
import type { ClusterOptions } from '../options/cluster-options.ts';

/** The address and settings of a cluster: from the configuration, otherwise from EKS. */
export interface ClusterAccess {
  /** The address of its API server, and its certificate authority as PEM. @default the certificate authorities of the system */
  server(): Promise<{ readonly endpoint: string; readonly certificateAuthority?: string }>;
  /** The settings that nodes need to join. *Errors:* those of EksAccess, unless the configuration has all of them. */
  describe(): Promise<EksCluster>;
  /** Whether EKS Auto Mode is enabled; undefined if the configuration has all settings, so that EKS is not called. */
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
        ...optional({ endpoint, certificateAuthority, serviceCidr }),
      };
      return { bootstrap, kubernetesVersion: kubernetesVersion ?? found.kubernetesVersion };
    },
    async autoMode() {
      return known === undefined ? await eks.autoMode() : undefined;
    },
  };
}

/** Undefined if a setting is missing, also the certificate authority, which a node needs to join: then EKS is called. */
function knownBootstrap({ name: clusterName, ...options }: ClusterOptions): EksCluster | undefined {
  const { endpoint, serviceCidr, kubernetesVersion } = options;
  const certificateAuthority =
    options.certificateAuthority ?? (endpoint?.startsWith('http:') === true ? '' : undefined);
  if (endpoint === undefined || serviceCidr === undefined) return undefined;
  if (kubernetesVersion === undefined || certificateAuthority === undefined) return undefined;
  return { bootstrap: { clusterName, endpoint, certificateAuthority, serviceCidr }, kubernetesVersion };
}
