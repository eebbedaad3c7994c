/** Labels that the rules use, and the names of pods in plans. */

export const ZONE = 'topology.kubernetes.io/zone';
export const ZONE_ID = 'topology.k8s.aws/zone-id';
export const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
export const RESERVATION_ID = 'karpenter.k8s.aws/capacity-reservation-id';
export const HOSTNAME = 'kubernetes.io/hostname';
export const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
export const NODE_POOL = 'karpenter.sh/nodepool';
export const REGISTERED = 'karpenter.sh/registered';
export const INITIALIZED = 'karpenter.sh/initialized';
export const DISRUPTED = 'karpenter.sh/disrupted';

export function keyOf({ namespace = 'default', name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
