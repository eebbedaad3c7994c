import type { EC2Client } from '@aws-sdk/client-ec2';
import type { ClusterBootstrap } from '../../core/node-class/cluster-bootstrap.ts';
import type { NodeClassResolution, UnresolvedNodeClass } from '../../ports/cloud-provider.ts';

/** What EKS says of the cluster that nodes are to join. */
export interface ClusterFacts {
  readonly bootstrap: ClusterBootstrap;
  /** `1.33`: EKS images are made for one minor version (C66). */
  readonly kubernetesVersion: string;
}

export interface ResolveTools {
  readonly client: EC2Client;
  readonly cluster: ClusterFacts;
  readonly nowMs: number;
}

/** The answer where a NodeClass cannot be launched as it stands. */
export function unresolved(
  reason: UnresolvedNodeClass['reason'],
  message: string,
): NodeClassResolution & { readonly kind: 'unresolved' } {
  return { kind: 'unresolved', reason, message, problems: [{ reason, message }], found: {} };
}
