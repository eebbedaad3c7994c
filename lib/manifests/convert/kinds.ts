import { isMap } from 'yaml';
import { convertAwsNodeTemplate } from './convert-aws-node-template.ts';
import { convertNodeClaim, convertNodePool } from './convert-node-pool.ts';
import { convertProvisioner } from './convert-provisioner.ts';
import { convertNode, convertWorkload, hasPods } from './convert-workload.ts';
import { prune } from './documents/shape.ts';
import { find, isNull } from './documents/yaml-map.ts';
import { addCustomFamily, convertAmis, takeAliasVersion } from './fields/ami-family.ts';
import { convertMetadataOptions } from './fields/metadata-options.ts';
import { convertVolumeSizes } from './fields/volume-sizes.ts';
import { BETA_NODE_CLASS } from './legacy/legacy-fields.ts';
import { hasFormerVersion, renewVersion } from './legacy/legacy-versions.ts';
import {
  CHANGED,
  type ConversionSubject,
  dropServerFields,
  type Outcome,
  setHead,
  specOf,
  UNCHANGED,
} from './subject.ts';

export interface KindHead {
  readonly apiVersion: string;
  readonly kind: string;
}

interface FormerKind {
  readonly group: string;
  readonly version: string;
  /** Also accepted under the version of another former kind, a common mistake. No current kind has the same name. */
  readonly anyVersion?: true;
  readonly convert: (subject: ConversionSubject) => Outcome;
}

const FORMER: Readonly<Record<string, FormerKind>> = {
  Provisioner: { group: 'karpenter.sh', version: 'v1alpha5', anyVersion: true, convert: convertProvisioner },
  AWSNodeTemplate: {
    group: 'karpenter.k8s.aws',
    version: 'v1alpha1',
    anyVersion: true,
    convert: convertAwsNodeTemplate,
  },
  NodePool: { group: 'karpenter.sh', version: 'v1beta1', convert: convertNodePool },
  NodeClaim: { group: 'karpenter.sh', version: 'v1beta1', convert: convertNodeClaim },
  EC2NodeClass: { group: 'karpenter.k8s.aws', version: 'v1beta1', convert: convertEc2NodeClass },
};

interface Unconvertible {
  readonly message: string;
  readonly fix: string;
}

const BEFORE_V1ALPHA5: Unconvertible = {
  message: 'is too old to be converted; only v1alpha5 Provisioners can be',
  fix: 'write a karpenter.sh/v1 NodePool',
};

const UNCONVERTIBLE: Readonly<Record<string, Unconvertible>> = {
  'karpenter.sh/v1alpha5 Machine': {
    message: 'has no equivalent: a NodePool creates its own NodeClaims',
    fix: 'remove the Machine',
  },
  'karpenter.k8s.aws/v1alpha1 AWSNodeInstanceProfile': {
    message: 'has no equivalent: an EC2NodeClass creates its own instance profile from its role',
    fix: 'remove it and write spec.role in the EC2NodeClass',
  },
  'karpenter.sh/v1alpha4 Provisioner': BEFORE_V1ALPHA5,
  'karpenter.sh/v1alpha3 Provisioner': BEFORE_V1ALPHA5,
};

/** v1 objects that can receive kubelet settings, and are otherwise unchanged. */
const CURRENT: ReadonlySet<string> = new Set([
  'karpenter.sh/v1 NodePool',
  'karpenter.sh/v1 NodeClaim',
  'karpenter.k8s.aws/v1 EC2NodeClass',
]);

const WORKLOAD_GROUPS = /^(?:(?:apps|batch|extensions)\/)?v\d+(?:(?:alpha|beta)\d+)?$/;

export function isFormer(head: KindHead): boolean {
  return formerKind(head) !== undefined || hasFormerVersion(head);
}

function formerKind(head: KindHead): FormerKind | undefined {
  const former = Object.hasOwn(FORMER, head.kind) ? FORMER[head.kind] : undefined;
  if (former === undefined || unconvertible(head) !== undefined) return undefined;
  const [group, version] = head.apiVersion.split('/');
  const right = former.anyVersion ? /^v1(?:alpha|beta)\d$/.test(version ?? '') : version === former.version;
  return group === former.group && right ? former : undefined;
}

function unconvertible({ apiVersion, kind }: KindHead): Unconvertible | undefined {
  const name = `${apiVersion} ${kind}`;
  return Object.hasOwn(UNCONVERTIBLE, name) ? UNCONVERTIBLE[name] : undefined;
}

/** Whether the conversion applies to an object of this version and kind. */
export function appliesTo(head: KindHead): boolean {
  const isCurrent = CURRENT.has(`${head.apiVersion} ${head.kind}`);
  return isFormer(head) || unconvertible(head) !== undefined || isCurrent || isWorkload(head);
}

export function convertObject(subject: ConversionSubject, head: KindHead): Outcome {
  const { apiVersion, kind } = head;
  const metadata = find(subject.root, 'metadata');
  if (metadata !== undefined && !isNull(metadata.value) && !isMap(metadata.value)) {
    subject.warn(metadata, 'is not a map, so the object was not converted', 'write metadata as a map with a name');
    return UNCHANGED;
  }
  const former = formerKind(head);
  if (former !== undefined) {
    const right = `${former.group}/${former.version}`;
    if (apiVersion !== right)
      subject.warn(
        find(subject.root, 'apiVersion') ?? subject.root,
        `${apiVersion} had no ${kind}; it is read as ${right}`,
        'check the converted object',
      );
    return former.convert(subject);
  }
  const reason = unconvertible(head);
  if (reason !== undefined) subject.warn(subject.root, `${apiVersion} ${kind} ${reason.message}`, reason.fix);
  const renewed = renewVersion(subject, head);
  const outcome = convertToday(subject, head);
  return renewed ? { ...outcome, changed: true } : outcome;
}

function convertToday(subject: ConversionSubject, head: KindHead): Outcome {
  if (!isWorkload(head)) return UNCHANGED;
  return head.kind === 'Node' ? convertNode(subject) : convertWorkload(subject, head.kind);
}

function isWorkload({ apiVersion, kind }: KindHead): boolean {
  return (hasPods(kind) && WORKLOAD_GROUPS.test(apiVersion)) || (kind === 'Node' && apiVersion === 'v1');
}

function convertEc2NodeClass(subject: ConversionSubject): Outcome {
  setHead(subject.root, 'karpenter.k8s.aws/v1', 'EC2NodeClass');
  dropServerFields(subject);
  const spec = specOf(subject);
  prune(subject, subject.root, BETA_NODE_CLASS);
  if (spec === undefined) return CHANGED;
  addCustomFamily(subject, spec);
  convertVolumeSizes(subject, spec);
  convertAmis(subject, spec, { version: takeAliasVersion(subject.root) });
  convertMetadataOptions(subject, spec, 'v1beta1');
  return CHANGED;
}
