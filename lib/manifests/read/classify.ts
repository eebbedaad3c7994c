import { quote } from '../../apis/formats/quote.ts';
import { isRecord, textField, type UnknownRecord } from '../../apis/record.ts';
import { editDistance, suggest } from '../../core/suggest.ts';

/** The kinds that a simulation uses, and the API version of each. */
export const READ_KINDS = {
  NodePool: 'karpenter.sh/v1',
  NodeClaim: 'karpenter.sh/v1',
  NodeOverlay: 'karpenter.sh/v1alpha1',
  EC2NodeClass: 'karpenter.k8s.aws/v1',
  CapacityBuffer: 'autoscaling.x-k8s.io/v1beta1',
  Deployment: 'apps/v1',
  DaemonSet: 'apps/v1',
  ReplicaSet: 'apps/v1',
  StatefulSet: 'apps/v1',
  Job: 'batch/v1',
  CronJob: 'batch/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  Pod: 'v1',
  PodTemplate: 'v1',
  PodDisruptionBudget: 'policy/v1',
  PersistentVolume: 'v1',
  PersistentVolumeClaim: 'v1',
  StorageClass: 'storage.k8s.io/v1',
  PriorityClass: 'scheduling.k8s.io/v1',
  LimitRange: 'v1',
  RuntimeClass: 'node.k8s.io/v1',
  Namespace: 'v1',
  Scenario: 'kerf.dev/v1alpha1',
} as const;

export type ReadKind = keyof typeof READ_KINDS;

export type Classification =
  | { readonly kind: 'read'; readonly readKind: ReadKind }
  | { readonly kind: 'ignored'; readonly note: string }
  | {
      readonly kind: 'wrong';
      readonly field: 'apiVersion' | 'kind';
      readonly message: string;
      readonly allowed: string;
      /** True where nothing of Kubernetes or Karpenter has a similar name. */
      readonly isForeign?: true;
    };

/** The other kinds of the groups that are listed completely. Any other kind in these groups is an error. */
const OTHER_KINDS: Readonly<Record<string, readonly string[]>> = {
  '': [
    'Binding',
    'ConfigMap',
    'Endpoints',
    'Event',
    'List',
    'Node',
    'ReplicationController',
    'ResourceQuota',
    'Secret',
    'Service',
    'ServiceAccount',
  ],
  apps: ['ControllerRevision'],
  batch: [],
  policy: ['Eviction', 'PodSecurityPolicy'],
  'karpenter.sh': [],
  'karpenter.k8s.aws': [],
  'kerf.dev': [],
};

/** The groups of Kubernetes without a dot. Every other group must contain one. */
const DOTLESS_GROUPS: ReadonlySet<string> = new Set(['', 'apps', 'autoscaling', 'batch', 'extensions', 'policy']);

/** The note on a kind that means nothing to a simulation. */
export const NOT_USED = 'not used by a simulation';
const NOTES: Readonly<Record<string, string>> = {
  ReplicationController: 'its pods are not simulated',
  ResourceQuota: 'quotas are not enforced',
  Node: 'nodes come from the NodePools of the files',
  Rollout: 'its pods are not simulated',
  ScaledObject: 'its target keeps its replicas',
  ScaledJob: 'its Jobs are not simulated',
  Workflow: 'its pods are not simulated',
  CronWorkflow: 'its pods are not simulated',
  VerticalPodAutoscaler: 'the requests of its target stay as they are',
};

/** Kinds of Karpenter before v1, and the kind that replaces each. */
const FORMER: Readonly<Record<string, string>> = {
  Provisioner: 'karpenter.sh/v1 NodePool',
  NodePool: 'karpenter.sh/v1 NodePool',
  AWSNodeTemplate: 'karpenter.k8s.aws/v1 EC2NodeClass',
  AWSNodeInstanceProfile: 'karpenter.k8s.aws/v1 EC2NodeClass',
  EC2NodeClass: 'karpenter.k8s.aws/v1 EC2NodeClass',
  Machine: 'karpenter.sh/v1 NodePool, which makes its own NodeClaims',
};

/** Classifies a document by its `apiVersion` and `kind`. */
export function classify(value: unknown): Classification {
  const apiVersion = textField(value, 'apiVersion');
  const kind = textField(value, 'kind');
  if (apiVersion === undefined || kind === undefined) return withoutHead(value, kind);
  if (isReadKind(kind) && READ_KINDS[kind] === apiVersion) return { kind: 'read', readKind: kind };
  const autoscaler = classifyAutoscaler(apiVersion, kind);
  if (autoscaler !== undefined) return autoscaler;
  const { group, version } = splitVersion(apiVersion);
  return (
    former({ apiVersion, kind, group, version }) ??
    misplaced({ apiVersion, kind, group }) ??
    unknown({ apiVersion, kind, group }) ??
    ignored(kind)
  );
}

/** autoscaling/v1 is served too. The versions before v2 were never used by a simulation. */
function classifyAutoscaler(apiVersion: string, kind: string): Classification | undefined {
  if (kind !== 'HorizontalPodAutoscaler' || !/^autoscaling\/v(?:1|2beta[12])$/.test(apiVersion)) return undefined;
  if (apiVersion === 'autoscaling/v1') return { kind: 'read', readKind: kind };
  return { kind: 'ignored', note: `not simulated: ${apiVersion} is no longer served; write autoscaling/v2` };
}

function isReadKind(kind: string): kind is ReadKind {
  return Object.hasOwn(READ_KINDS, kind);
}

interface Head {
  readonly apiVersion: string;
  readonly kind: string;
  readonly group: string;
}

type Wrong = Extract<Classification, { kind: 'wrong' }>;

function withoutHead(value: unknown, kind: string | undefined): Wrong {
  const known = kind === undefined ? undefined : suggest(kind, Object.keys(READ_KINDS));
  const allowed =
    known !== undefined && isReadKind(known)
      ? `apiVersion: ${READ_KINDS[known]}`
      : 'its API version, such as apps/v1 or karpenter.sh/v1';
  const apiVersion = textField(value, 'apiVersion');
  const field = kind === undefined && apiVersion !== undefined ? 'kind' : 'apiVersion';
  if (isRecord(value) && Object.hasOwn(value, field) && value[field] !== null)
    return wrong(field, 'is not text', field === 'kind' ? 'the kind' : allowed);
  const misspelt = isRecord(value) ? misspeltHead(value, field) : undefined;
  if (misspelt !== undefined) return misspelt;
  if (field === 'kind') return wrong(field, 'is missing', `the kind, such as ${kindsFor(apiVersion ?? '').join(', ')}`);
  const message =
    kind === undefined ? 'is missing, and so is kind: this document is not a Kubernetes object' : 'is missing';
  return wrong(field, message, allowed);
}

function misspeltHead(value: UnknownRecord, field: Wrong['field']): Wrong | undefined {
  const written = Object.keys(value).find(
    (name) => name !== 'kind' && name !== 'apiVersion' && suggest(name, [field]) === field,
  );
  return written === undefined
    ? undefined
    : wrong(
        field,
        `is missing; ${quote(written)} is not a field of Kubernetes objects`,
        `${field} in place of ${written}`,
      );
}

/** The kinds in the group of an API version, or all kinds of Kubernetes and Karpenter. */
function kindsFor(apiVersion: string): readonly string[] {
  const { group } = splitVersion(apiVersion);
  const ofGroup = kindsOf(group);
  return ofGroup.length > 0 ? ofGroup : Object.keys(READ_KINDS).filter((name) => name !== 'Scenario');
}

function kindsOf(group: string): readonly string[] {
  return Object.entries(READ_KINDS).flatMap(([name, version]) => (splitVersion(version).group === group ? [name] : []));
}

/** Kinds of Karpenter before v1 that cannot be converted: their version never had the kind, or nothing replaces it. */
function former({ apiVersion, kind, group, version }: Head & { readonly version: string }): Wrong | undefined {
  const today = Object.hasOwn(FORMER, kind) ? FORMER[kind] : undefined;
  const old = group === 'karpenter.sh' || group === 'karpenter.k8s.aws';
  if (!old || today === undefined) return undefined;
  const before = /^v1(?:alpha|beta)\d+$/.test(version);
  if (isReadKind(kind) && !before) return undefined;
  // The conversion reads one earlier version of each present kind. Machine and similar kinds were removed.
  const gone = before && !isReadKind(kind);
  const message = gone ? `${apiVersion} ${kind} has no replacement` : `${quote(apiVersion)} has no ${kind}`;
  return wrong('apiVersion', message, today);
}

/** A supported kind under an API version that does not have it. */
function misplaced({ apiVersion, kind, group }: Head): Wrong | undefined {
  if (!isReadKind(kind)) return undefined;
  const right = READ_KINDS[kind];
  const ownGroup = splitVersion(right).group;
  const near =
    DOTLESS_GROUPS.has(group) ||
    !group.includes('.') ||
    Object.hasOwn(OTHER_KINDS, group) ||
    editDistance(group, ownGroup) <= 3;
  return near ? wrong('apiVersion', `${quote(apiVersion)} has no ${kind}`, right) : undefined;
}

function unknown({ apiVersion, kind, group }: Head): Wrong | undefined {
  const readVersions = Object.values(READ_KINDS);
  if (!/^(?:[^/\s]+\/)?v\d+(?:(?:alpha|beta)\d+)?$/.test(apiVersion)) {
    return wrong(
      'apiVersion',
      `${quote(apiVersion)} is not an API version`,
      `group/version, such as ${suggest(apiVersion, readVersions) ?? 'apps/v1'}`,
    );
  }
  if (!group.includes('.') && !DOTLESS_GROUPS.has(group)) {
    const meant = suggest(group, ['apps', 'batch', 'policy']);
    return {
      ...wrong(
        'apiVersion',
        `Kubernetes has no API group ${quote(group)}`,
        `an existing group, such as ${meant ?? 'apps'}`,
      ),
      ...(meant === undefined && { isForeign: true }),
    };
  }
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(kind)) {
    const meant = suggest(kind.slice(0, 80).replaceAll(/[^A-Za-z0-9]/g, ''), [
      ...Object.keys(READ_KINDS),
      ...Object.values(OTHER_KINDS).flat(),
    ]);
    return wrong('kind', `${quote(kind)} is not a kind`, meant ?? 'letters and digits, such as Deployment');
  }
  return unknownKind({ apiVersion, kind, group });
}

function unknownKind({ apiVersion, kind, group }: Head): Wrong | undefined {
  const others = Object.hasOwn(OTHER_KINDS, group) ? OTHER_KINDS[group] : undefined;
  if (others === undefined || others.includes(kind)) return undefined;
  const all = [...kindsOf(group), ...others];
  const meant = meantKind(kind, all);
  if (meant === undefined)
    return {
      ...wrong('kind', `${quote(apiVersion)} has no kind ${quote(kind)}`, `one of ${all.join(', ')}`),
      ...(DOTLESS_GROUPS.has(group) && { isForeign: true }),
    };
  const right = isReadKind(meant) && READ_KINDS[meant] !== apiVersion ? READ_KINDS[meant] : undefined;
  const message = `${quote(apiVersion)} has no kind ${quote(kind)}; did you mean ${meant}${right === undefined ? '' : ` of ${right}`}?`;
  return wrong('kind', message, right === undefined ? meant : `${meant}, and apiVersion: ${right}`);
}

function meantKind(kind: string, all: readonly string[]): string | undefined {
  if (kind === 'NodeClass' && all.includes('EC2NodeClass')) return 'EC2NodeClass';
  return suggest(kind, all) ?? suggest(kind, Object.keys(READ_KINDS));
}

function ignored(kind: string): Classification {
  return { kind: 'ignored', note: (Object.hasOwn(NOTES, kind) ? NOTES[kind] : undefined) ?? NOT_USED };
}

function wrong(field: Wrong['field'], message: string, allowed: string): Wrong {
  return { kind: 'wrong', field, message, allowed };
}

function splitVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.lastIndexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** True for an object that is meant to be one of Karpenter's kinds or a Scenario, in any version and even with errors. */
export function isOurs(value: unknown): boolean {
  const kind = textField(value, 'kind') ?? '';
  const apiVersion = textField(value, 'apiVersion');
  const { group } = splitVersion(apiVersion ?? '');
  if (group === 'karpenter.sh' || group === 'karpenter.k8s.aws' || group === 'kerf.dev') return true;
  if (!KARPENTER_KINDS.has(kind)) return false;
  return group === 'autoscaling.x-k8s.io' || classify(value).kind === 'wrong';
}

const KARPENTER_KINDS: ReadonlySet<string> = new Set([
  'NodePool',
  'NodeClaim',
  'NodeOverlay',
  'EC2NodeClass',
  'CapacityBuffer',
  'Provisioner',
  'AWSNodeTemplate',
]);
