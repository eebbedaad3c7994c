/**
 * The part of the Kubernetes API that decisions read: API JSON in camelCase, reduced to the fields that are used. Full
 * objects are valid too. Objects of these types are never written back as a whole.
 */

import { fieldOf } from './record.ts';

/** A label may have a name that every object inherits, such as `constructor`: read it with `fieldOf`. */
export type Labels = Readonly<Record<string, string>>;

/** Quantities by resource name, as the API writes them: `{ cpu: '500m', memory: '1Gi' }`. */
export type ResourceList = Readonly<Record<string, string | number>>;

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly creationTimestamp?: string;
  /** Of a pod: when its grace period ends. */
  readonly deletionTimestamp?: string;
  /** Of a pod that ends: from its first deletion to `deletionTimestamp`. A later deletion can shorten it. */
  readonly deletionGracePeriodSeconds?: number;
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** Who wrote which fields, without the fields. Read only for pods. */
  readonly managedFields?: readonly ManagedFields[];
}

export interface ManagedFields {
  readonly manager?: string;
  readonly subresource?: string;
}

export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: TaintEffect;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal';
  readonly value?: string;
  /** An empty one matches all effects, like none. */
  readonly effect?: TaintEffect | '';
  readonly tolerationSeconds?: number;
}

/** The order in which schemas and errors list them. */
export const REQUIREMENT_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'] as const;

export type RequirementOperator = (typeof REQUIREMENT_OPERATORS)[number];

export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: RequirementOperator;
  readonly values?: readonly string[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface PodAffinityTerm {
  readonly topologyKey: string;
  readonly labelSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number;
    readonly podAffinityTerm: PodAffinityTerm;
  }[];
}

export interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
    };
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
      readonly weight: number;
      readonly preference: NodeSelectorTerm;
    }[];
  };
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAffinity;
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
  readonly labelSelector?: LabelSelector;
  readonly minDomains?: number;
  readonly matchLabelKeys?: readonly string[];
  readonly nodeAffinityPolicy?: 'Honor' | 'Ignore';
  readonly nodeTaintsPolicy?: 'Honor' | 'Ignore';
}

export interface ContainerPort {
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
}

export interface Container {
  readonly name: string;
  readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList };
  readonly ports?: readonly ContainerPort[];
  readonly restartPolicy?: string;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

export type AccessMode = 'ReadWriteOnce' | 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOncePod';

/** What decides which volume a claim is bound to; only simulations read it. */
export interface VolumeTraits {
  readonly accessModes?: readonly AccessMode[];
  readonly volumeMode?: 'Filesystem' | 'Block';
}

/** The spec of a PersistentVolumeClaim, and of a template of one. */
export interface VolumeClaimSpec extends VolumeTraits {
  readonly storageClassName?: string;
  /** Set once a volume is bound or selected. */
  readonly volumeName?: string;
  readonly resources?: { readonly requests?: ResourceList };
  readonly selector?: LabelSelector;
}

export type PreemptionPolicy = 'PreemptLowerPriority' | 'Never';

export interface PodSpec {
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  /** Read only where admission is simulated; decisions see what it added. */
  readonly runtimeClassName?: string;
  readonly overhead?: ResourceList;
  readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList };
  readonly nodeSelector?: Labels;
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly preemptionPolicy?: PreemptionPolicy;
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly terminationGracePeriodSeconds?: number;
  readonly volumes?: readonly {
    readonly name: string;
    readonly persistentVolumeClaim?: { readonly claimName: string };
    /** A claim that belongs to the pod, created from this template. */
    readonly ephemeral?: {
      readonly volumeClaimTemplate?: {
        readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
        readonly spec?: VolumeClaimSpec;
      };
    };
  }[];
  readonly resourceClaims?: readonly { readonly name: string }[];
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

/** What the kubelet has reserved for a container, and what the container has. During an in-place resize, both differ from its spec. */
export interface ContainerStatus {
  readonly name: string;
  readonly allocatedResources?: ResourceList;
  readonly resources?: { readonly requests?: ResourceList };
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status?: {
    readonly phase?: PodPhase;
    readonly conditions?: readonly Condition[];
    readonly startTime?: string;
    readonly nominatedNodeName?: string;
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

export interface PodTemplate {
  readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels };
  readonly spec: PodSpec;
}

export interface Node {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly providerID?: string;
    readonly taints?: readonly Taint[];
    readonly unschedulable?: boolean;
  };
  readonly status?: {
    readonly capacity?: ResourceList;
    readonly allocatable?: ResourceList;
    readonly conditions?: readonly Condition[];
  };
}

export interface DaemonSet {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly selector: LabelSelector; readonly template: PodTemplate };
}

export interface Deployment {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly replicas?: number; readonly selector: LabelSelector; readonly template: PodTemplate };
}

/** A Deployment, ReplicaSet or StatefulSet, as far as decisions read it. */
export type ScalableWorkload = Deployment;

export interface Service {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly selector?: Labels };
}

export interface Namespace {
  readonly metadata: ObjectMeta;
}

export interface LimitRange {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly limits: readonly LimitRangeItem[] };
}

export interface LimitRangeItem {
  /** Container, Pod, PersistentVolumeClaim, or another. */
  readonly type: string;
  /** Default limits. */
  readonly default?: ResourceList;
  readonly defaultRequest?: ResourceList;
  readonly max?: ResourceList;
  readonly min?: ResourceList;
}

/** A node.k8s.io/v1 RuntimeClass. */
export interface RuntimeClass {
  readonly metadata: ObjectMeta;
  readonly overhead?: { readonly podFixed?: ResourceList };
  readonly scheduling?: { readonly nodeSelector?: Labels; readonly tolerations?: readonly Toleration[] };
}

export interface PriorityClass {
  readonly metadata: ObjectMeta;
  /** @default 0 */
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: PreemptionPolicy;
}

/** A core/v1 PodTemplate object. */
export interface NamedPodTemplate {
  readonly metadata: ObjectMeta;
  readonly template: PodTemplate;
}

export interface PodDisruptionBudget {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly selector?: LabelSelector;
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow';
  };
  readonly status?: {
    readonly disruptionsAllowed?: number;
    /** The number of pods that the controllers of the selected pods want. */
    readonly expectedPods?: number;
    readonly desiredHealthy?: number;
    readonly currentHealthy?: number;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

export function namespaceOf({ metadata }: { readonly metadata: ObjectMeta }): string {
  return metadata.namespace ?? 'default';
}

/** `namespace/name`, the name of a pod in decisions and reports. */
export function podKey(pod: { readonly metadata: ObjectMeta }): string {
  return `${pod.metadata.namespace ?? 'default'}/${pod.metadata.name}`;
}

/** The owner that controls the object. *Shape:* undefined for an object that nothing controls, as a bare pod. */
export function controllerOf({ metadata }: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** The status of a condition, or undefined where the object does not have the condition. */
export function conditionStatus(
  object: { readonly status?: { readonly conditions?: readonly Condition[] } },
  type: string,
): Condition['status'] | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type)?.status;
}

/** True if the selector matches these labels. An absent selector matches nothing; an empty one matches everything. */
export function selectorMatches(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (selector === undefined) return false;
  const exact = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => fieldOf(labels, key) === value);
  return exact && (selector.matchExpressions ?? []).every((expression) => expressionMatches(expression, labels));
}

function expressionMatches(expression: LabelSelectorRequirement, labels: Labels): boolean {
  const value = fieldOf(labels, expression.key);
  switch (expression.operator) {
    case 'In':
      return value !== undefined && (expression.values ?? []).includes(value);
    case 'NotIn':
      return value === undefined || !(expression.values ?? []).includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
