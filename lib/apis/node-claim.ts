import type { Condition, ObjectMeta, ResourceList, Taint } from './kubernetes.ts';
import type { NodeClassReference, NodePoolRequirement } from './node-pool.ts';

export interface NodeClaimSpec {
  readonly nodeClassRef: NodeClassReference;
  readonly requirements: readonly NodePoolRequirement[];
  readonly resources: { readonly requests: ResourceList };
  readonly taints?: readonly Taint[];
  readonly startupTaints?: readonly Taint[];
  readonly expireAfter: string;
  readonly terminationGracePeriod?: string;
}

/** The object that `kubectl get nodeclaims` shows; the table's record is the truth, this is its mirror. */
export interface NodeClaim {
  readonly apiVersion: 'karpenter.sh/v1';
  readonly kind: 'NodeClaim';
  readonly metadata: ObjectMeta;
  readonly spec: NodeClaimSpec;
  readonly status?: {
    readonly nodeName?: string;
    readonly providerID?: string;
    readonly imageID?: string;
    readonly capacity?: ResourceList;
    readonly allocatable?: ResourceList;
    readonly conditions?: readonly Condition[];
  };
}
