/** The RBAC roles of each function. Together they allow what Karpenter's own role allows, and little more (C87). */
import { CLAIM_LEASE } from '../cluster/cluster-claim.ts';
import { KARPENTER_LEASE } from '../cluster/karpenter-signs.ts';

/** The functions with access to a cluster. Each has its own RBAC group. */
export type ClusterFunction = 'provisioning' | 'lifecycle' | 'disruption' | 'termination';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Metadata {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** @default none */
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ClusterRole {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ClusterRole';
  readonly metadata: Metadata;
  readonly rules: readonly PolicyRule[];
}

export interface ClusterRoleBinding {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ClusterRoleBinding';
  readonly metadata: Metadata;
  readonly roleRef: {
    readonly apiGroup: 'rbac.authorization.k8s.io';
    readonly kind: 'ClusterRole';
    readonly name: string;
  };
  readonly subjects: readonly [
    { readonly apiGroup: 'rbac.authorization.k8s.io'; readonly kind: 'Group'; readonly name: string },
  ];
}

const RBAC = 'rbac.authorization.k8s.io';

/** Marks the objects that a deployment of Kerf applied to a cluster and may remove. */
export const INSTALLED_LABELS: Readonly<Record<string, string>> = { 'app.kubernetes.io/managed-by': 'kerf' };

/** The prefix of the groups of Kerf's functions, such as `kerf:lifecycle`. Their access entries set the groups. */
export const KERF_GROUPS = 'kerf:';

/** The Kubernetes group of a function's role in its EKS access entry. */
export function groupOf(name: ClusterFunction): string {
  return `${KERF_GROUPS}${name}`;
}

const FUNCTIONS: readonly ClusterFunction[] = ['disruption', 'lifecycle', 'provisioning', 'termination'];

/** The roles and bindings for every cluster. *Shape:* each binding follows its role; functions are ordered by name. */
export function rbacObjects(): readonly (ClusterRole | ClusterRoleBinding)[] {
  return FUNCTIONS.flatMap((name) => [roleOf(name), bindingOf(name)]);
}

/** Access to list and watch implies access to get, because the data is the same. */
const READ = ['get', 'list', 'watch'];

/** The kinds that decisions on a whole cluster read. */
const WHOLE_CLUSTER: readonly PolicyRule[] = [
  rule('', ['namespaces', 'nodes', 'persistentvolumeclaims', 'persistentvolumes', 'pods', 'podtemplates'], READ),
  rule('apps', ['daemonsets', 'deployments', 'replicasets', 'statefulsets'], READ),
  rule('autoscaling.x-k8s.io', ['capacitybuffers'], READ),
  rule('karpenter.k8s.aws', ['ec2nodeclasses'], READ),
  rule('karpenter.sh', ['nodeclaims', 'nodeoverlays', 'nodepools'], READ),
  rule('policy', ['poddisruptionbudgets'], READ),
  // B44: volumes that are still attached to a node.
  rule('storage.k8s.io', ['csinodes', 'storageclasses', 'volumeattachments'], READ),
];

/**
 * Every function writes events, and detects other autoscalers by their lease, Deployment or NodePools. It asks the API server
 * whether the service account of such a Deployment may create NodeClaims. The answer tells rights, and gives none.
 */
const EVERY_FUNCTION: readonly PolicyRule[] = [
  { ...rule('coordination.k8s.io', ['leases'], ['get', 'list']), resourceNames: [KARPENTER_LEASE] },
  { ...rule('coordination.k8s.io', ['leases'], ['get']), resourceNames: [CLAIM_LEASE.name] },
  rule('apps', ['deployments'], ['list']),
  rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
  rule('karpenter.sh', ['nodepools'], ['list']),
  // F16: a repeated event is read, and updated as a series.
  rule('events.k8s.io', ['events'], ['create', 'get', 'patch']),
];

/**
 * The tick removes and restores the webhooks of the configuration, and never deletes it. A role that can create any webhook
 * configuration can read every write to the cluster. RBAC can limit creation to one name only for server-side apply, because
 * only then the request has the name (measured on 1.35).
 */
const OWN_WEBHOOK: PolicyRule = {
  ...rule('admissionregistration.k8s.io', ['validatingwebhookconfigurations'], ['create', 'get', 'patch']),
  resourceNames: ['kerf'],
};

/** Lifecycle launches instances, so it claims the cluster for its deployment. Only server-side apply limits creation to one name. */
const OWN_CLAIM: PolicyRule = {
  ...rule('coordination.k8s.io', ['leases'], ['create', 'patch']),
  resourceNames: [CLAIM_LEASE.name],
};

/** E1, E33: a disruption command taints its nodes. Provisioning finishes open decisions of disruption. */
const TAINTS: PolicyRule = rule('', ['nodes'], ['patch']);

const RULES: Readonly<Record<ClusterFunction, readonly PolicyRule[]>> = {
  disruption: [...WHOLE_CLUSTER, TAINTS],
  lifecycle: [
    rule('', ['nodes'], [...READ, 'patch']),
    // Whether there is work for provisioning.
    rule('', ['pods'], ['list']),
    rule('autoscaling.x-k8s.io', ['capacitybuffers'], READ),
    OWN_WEBHOOK,
    OWN_CLAIM,
    rule('karpenter.k8s.aws', ['ec2nodeclasses'], [...READ, 'patch']),
    rule('karpenter.k8s.aws', ['ec2nodeclasses/status'], ['patch']),
    rule('karpenter.sh', ['nodeclaims'], [...READ, 'create', 'delete', 'patch']),
    rule('karpenter.sh', ['nodeoverlays'], READ),
    rule('karpenter.sh', ['nodepools'], [...READ, 'patch']),
    rule('karpenter.sh', ['nodeclaims/status', 'nodeoverlays/status', 'nodepools/status'], ['patch']),
  ],
  provisioning: [
    ...WHOLE_CLUSTER,
    TAINTS,
    // B66: nominations of pending pods. A ValidatingAdmissionPolicy limits this to one field.
    rule('', ['pods/status'], ['patch']),
    rule('autoscaling.x-k8s.io', ['capacitybuffers/status'], ['patch']),
  ],
  termination: [
    rule('', ['nodes'], [...READ, 'delete', 'patch']),
    rule('', ['pods'], [...READ, 'delete']),
    rule('', ['pods/eviction'], ['create']),
    rule('karpenter.sh', ['nodeclaims'], [...READ, 'delete', 'patch']),
    // To explain refused evictions.
    rule('policy', ['poddisruptionbudgets'], ['list']),
    // D25: the volumes of drained pods, and those of pods that stay on the node.
    rule('', ['persistentvolumeclaims'], ['list']),
    rule('storage.k8s.io', ['volumeattachments'], READ),
  ],
};

function roleOf(name: ClusterFunction): ClusterRole {
  const rules = [...EVERY_FUNCTION, ...RULES[name]];
  return { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: metadataOf(name), rules };
}

function bindingOf(name: ClusterFunction): ClusterRoleBinding {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: metadataOf(name),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: roleName(name) },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: groupOf(name) }],
  };
}

function metadataOf(name: ClusterFunction): Metadata {
  return { name: roleName(name), labels: INSTALLED_LABELS };
}

function roleName(name: ClusterFunction): string {
  return `kerf-${name}`;
}

function rule(apiGroup: string, resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [apiGroup], resources, verbs };
}
