import { fieldOf, ownField } from '../../apis/record.ts';
import type { Path } from './problem.ts';

/** Common mistakes and their corrections. Every correction completes "write …". */

const NODE_CLASS_REF = '{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}';
const BY_TAG = '[{tags: {karpenter.sh/discovery: CLUSTER}}]';

/** A field with its value, in an object of the given kind. */
interface Field {
  readonly path: Path;
  readonly kind: string;
  readonly value: unknown;
}

export interface Moved {
  readonly allowed: string;
  /** The sibling field that replaces it. */
  readonly meant?: string;
}

const IN_NODE_CLASS: Readonly<Record<string, string>> = {
  kubelet: 'spec.kubelet',
  kubeletConfiguration: 'spec.kubelet',
  subnetSelector: `spec.subnetSelectorTerms, such as ${BY_TAG}`,
  securityGroupSelector: `spec.securityGroupSelectorTerms, such as ${BY_TAG}`,
  userData: 'spec.userData',
  blockDeviceMappings: 'spec.blockDeviceMappings',
  amiFamily: 'spec.amiFamily',
  amiSelector: 'spec.amiSelectorTerms, such as [{alias: al2023@latest}]',
};

const IN_NODE_POOL: Readonly<Record<string, string>> = {
  ttlSecondsAfterEmpty: 'spec.disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 30s}',
  ttlSecondsUntilExpired: 'spec.template.spec.expireAfter, such as 720h',
  consolidation: 'spec.disruption.consolidationPolicy, such as WhenEmptyOrUnderutilized',
  provider: `an EC2NodeClass with its settings, and spec.template.spec.nodeClassRef: ${NODE_CLASS_REF}`,
  providerRef: `spec.template.spec.nodeClassRef: ${NODE_CLASS_REF}`,
};

const KARPENTER_KINDS: ReadonlySet<string> = new Set(['NodePool', 'NodeClaim', 'EC2NodeClass']);

/** Returns the replacement of a field that existed before v1 or belongs to another object. */
export function movedField({ path, kind, value }: Field): Moved | undefined {
  const name = String(path.at(-1));
  const [around, entryOf] = [path.at(-2), path.at(-3)];
  if (name === 'apiVersion' && around === 'nodeClassRef')
    return { allowed: 'group: karpenter.k8s.aws instead', meant: 'group' };
  if (name === 'apiVersion' && around === 'scalableRef')
    return { allowed: 'apiGroup: apps instead', meant: 'apiGroup' };
  if (name.toLowerCase() === 'name' && entryOf === 'subnetSelectorTerms')
    return {
      allowed: `tags: {Name: ${typeof value === 'string' ? value.slice(0, 80) : 'NAME'}}, or the id of the subnet`,
    };
  if (!KARPENTER_KINDS.has(kind)) return undefined;
  const ofClass = fieldOf(IN_NODE_CLASS, name);
  if (ofClass !== undefined)
    return { allowed: kind === 'EC2NodeClass' ? `it as ${ofClass}` : `it in the EC2NodeClass: ${ofClass}` };
  const ofPool = kind === 'EC2NodeClass' ? undefined : ofNodePool(name, { path, kind, value });
  return ofPool === undefined ? undefined : { allowed: ofPool };
}

function ofNodePool(name: string, { path, kind, value }: Field): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
    if (name === 'ttlSecondsAfterEmpty')
      return `spec.disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: ${value}s}`;
    if (name === 'ttlSecondsUntilExpired') return `spec.template.spec.expireAfter: ${value}s`;
  }
  // v1beta1 had expireAfter under disruption.
  if (kind === 'NodePool' && name === 'expireAfter' && path.at(-2) === 'disruption')
    return 'it as spec.template.spec.expireAfter';
  return fieldOf(IN_NODE_POOL, name);
}

/** Returns the instruction for a field without a replacement. */
export function needlessField({ path, kind }: Field): string | undefined {
  const name = String(path.at(-1));
  if (name === 'operator' || name === 'tolerationSeconds') {
    const isTaint = /^(?:taints|startupTaints)$/.test(String(path.at(-3)));
    return isTaint ? 'remove it: only tolerations have this field' : undefined;
  }
  const inTemplate = kind === 'NodePool' && path.slice(0, -1).join('.') === 'spec.template.metadata';
  return inTemplate && /^(?:name|generateName|namespace)$/.test(name)
    ? 'remove it: the names of nodes cannot be set'
    : undefined;
}

const WANTED_FIELDS: Readonly<Record<string, string>> = {
  subnetSelectorTerms: `which subnets to launch in, such as ${BY_TAG}`,
  securityGroupSelectorTerms: `which security groups the instances get, such as ${BY_TAG}`,
  nodeClassRef: `which EC2NodeClass to launch with: ${NODE_CLASS_REF}`,
  requirements: 'what nodes must be like, or requirements: [] for any',
  'nodeClassRef.group': 'karpenter.k8s.aws',
  'nodeClassRef.kind': 'EC2NodeClass',
  'nodeClassRef.name': 'the name of the EC2NodeClass',
  'scalableRef.kind': 'one of Deployment, StatefulSet, ReplicaSet',
  'scalableRef.name': 'the name of the Deployment, StatefulSet or ReplicaSet',
};

/** Returns an example for a required field that is often missing. `beside` is the object that lacks it. */
export function exampleOfField(path: Path, beside: unknown): string | undefined {
  const name = String(path.at(-1));
  if (name !== 'amiSelectorTerms')
    return fieldOf(WANTED_FIELDS, path.slice(-2).join('.')) ?? fieldOf(WANTED_FIELDS, name);
  const family = ownField(beside, 'amiFamily');
  if (family === 'Custom') return 'which images to launch, such as [{id: ami-0123456789abcdef0}]';
  const known = typeof family === 'string' && /^(?:AL2|AL2023|Bottlerocket|Windows20(?:19|22|25))$/.test(family);
  const alias = known ? family.toLowerCase() : 'al2023';
  return `which images to launch, such as [{alias: ${alias}@latest}]: v1 has no default images`;
}

/** Corrects a volume size such as `100`, `100GB` or `1 tb`. */
export function sizeMeant(text: string): string | undefined {
  const [, count, unit = 'g'] = /^([1-9]\d*) *([gt])?i?b?$/i.exec(text.trim()) ?? [];
  return count === undefined ? undefined : `${count}${unit.toUpperCase()}i`;
}

/** Values before v1 and their names in v1. */
export const FORMER_VALUES: Readonly<Record<string, string>> = {
  WhenUnderutilized: 'WhenEmptyOrUnderutilized, its name in v1',
};
