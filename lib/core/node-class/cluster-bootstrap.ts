/** What a node must know to join its cluster (C69). */
export interface ClusterBootstrap {
  readonly clusterName: string;
  readonly endpoint: string;
  /** Base64, as EKS gives it. */
  readonly certificateAuthority: string;
  readonly serviceCidr: string;
}
