/** The group of the NodeClasses that Kerf launches of; NodePools and NodeClaims of any other are somebody else's. */
const GROUP = 'karpenter.k8s.aws';

/** Whether a NodePool's or NodeClaim's class is one of ours: those of EKS Auto Mode lie beside them in the same lists. */
export function isOurClass(reference: { readonly group: string }): boolean {
  return reference.group === GROUP;
}
