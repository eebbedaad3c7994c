import { fieldOf, isRecord } from './record.ts';

/** Slips that many people make, and what they meant. Every answer completes "write …". */

const NODE_CLASS_REF = '{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}';
const BY_TAG = '[{tags: {karpenter.sh/discovery: CLUSTER}}]';

const MOVED_FIELDS: Readonly<Record<string, string>> = {
  apiVersion: 'group: karpenter.k8s.aws in its place',
  kubelet: 'it in the EC2NodeClass: spec.kubelet',
  kubeletConfiguration: 'it in the EC2NodeClass: spec.kubelet',
  ttlSecondsAfterEmpty: 'spec.disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 30s}',
  ttlSecondsUntilExpired: 'spec.template.spec.expireAfter, such as 720h',
  consolidation: 'spec.disruption.consolidationPolicy, such as WhenEmptyOrUnderutilized',
  provider: `an EC2NodeClass with what it says, and spec.template.spec.nodeClassRef: ${NODE_CLASS_REF}`,
  providerRef: `spec.template.spec.nodeClassRef: ${NODE_CLASS_REF}`,
  subnetSelector: `it in the EC2NodeClass: spec.subnetSelectorTerms, such as ${BY_TAG}`,
  securityGroupSelector: `it in the EC2NodeClass: spec.securityGroupSelectorTerms, such as ${BY_TAG}`,
  userData: 'it in the EC2NodeClass: spec.userData',
  blockDeviceMappings: 'it in the EC2NodeClass: spec.blockDeviceMappings',
  amiFamily: 'it in the EC2NodeClass: spec.amiFamily',
  amiSelector: 'it in the EC2NodeClass: spec.amiSelectorTerms, such as [{alias: al2023@latest}]',
};

/** For a field that Karpenter had before v1, or that people put on the wrong object: what stands for it today. */
export function movedField(name: string, value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
    if (name === 'ttlSecondsAfterEmpty')
      return `spec.disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: ${value}s}`;
    if (name === 'ttlSecondsUntilExpired') return `spec.template.spec.expireAfter: ${value}s`;
  }
  return fieldOf(MOVED_FIELDS, name);
}

const WANTED_FIELDS: Readonly<Record<string, string>> = {
  subnetSelectorTerms: `which subnets to launch in, such as ${BY_TAG}`,
  securityGroupSelectorTerms: `which security groups the instances get, such as ${BY_TAG}`,
  nodeClassRef: `which EC2NodeClass to launch with: ${NODE_CLASS_REF}`,
};

/** For a required field that people leave out: an example. `beside` is the object that lacks it. */
export function wantedField(name: string, beside: unknown): string | undefined {
  if (name !== 'amiSelectorTerms') return fieldOf(WANTED_FIELDS, name);
  const family = isRecord(beside) ? fieldOf(beside, 'amiFamily') : undefined;
  if (family === 'Custom') return 'which images to launch, such as [{id: ami-0123456789abcdef0}]';
  const known = typeof family === 'string' && /^(?:AL2|AL2023|Bottlerocket|Windows20(?:19|22|25))$/.test(family);
  const alias = known ? family.toLowerCase() : 'al2023';
  return `which images to launch, such as [{alias: ${alias}@latest}]: v1 has no default for them`;
}

/** Values of before v1 and what they are called today. */
export const FORMER_VALUES: Readonly<Record<string, string>> = {
  WhenUnderutilized: "WhenEmptyOrUnderutilized: v1's name for it",
};
