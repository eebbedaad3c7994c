/** The parameters with which a node joins its cluster (C69). */
export interface ClusterBootstrap {
  readonly clusterName: string;
  readonly endpoint: string;
  /** Base64, as returned by EKS. */
  readonly certificateAuthority: string;
  readonly serviceCidr: string;
}
