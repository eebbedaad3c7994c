import type { Labels } from '../../apis/kubernetes.ts';

/** One tag of one fixed key says whose an instance is: IAM conditions can then name every cluster in one statement. */
export const CLUSTER_TAG = 'eks:eks-cluster-name';

export function ownershipKey(cluster: string): string {
  return `kubernetes.io/cluster/${cluster}`;
}

/** C50: what makes a thing in EC2 this cluster's. */
export function ownershipTags(cluster: string): Labels {
  return { [ownershipKey(cluster)]: 'owned', [CLUSTER_TAG]: cluster };
}
