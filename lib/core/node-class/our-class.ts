/** The group of the NodeClasses that Kerf manages. NodePools and NodeClaims of other groups belong to other controllers. */
const GROUP = 'karpenter.k8s.aws';

/** Whether Kerf manages the NodeClass of a NodePool or NodeClaim. Lists also contain objects of EKS Auto Mode. */
export function isManagedNodeClass(reference: { readonly group: string }): boolean {
  return reference.group === GROUP;
}
