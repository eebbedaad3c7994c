/** Fields that Karpenter had before v1, or that people put on the wrong object, and what stands for them today. */
export const MOVED_FIELDS: Readonly<Record<string, string>> = {
  kubelet: 'it in the EC2NodeClass: spec.kubelet',
  kubeletConfiguration: 'it in the EC2NodeClass: spec.kubelet',
  ttlSecondsAfterEmpty: 'spec.disruption.consolidateAfter, such as 30s',
  ttlSecondsUntilExpired: 'spec.template.spec.expireAfter, such as 720h',
  consolidation: 'spec.disruption.consolidationPolicy',
  provider: 'spec.template.spec.nodeClassRef',
  providerRef: 'spec.template.spec.nodeClassRef',
  subnetSelector: 'spec.subnetSelectorTerms',
  securityGroupSelector: 'spec.securityGroupSelectorTerms',
  amiSelector: 'spec.amiSelectorTerms',
};
