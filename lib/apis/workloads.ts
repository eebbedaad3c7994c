import {
  type Condition,
  type Deployment,
  namespaceOf,
  type ObjectMeta,
  type PodTemplate,
  type VolumeClaimSpec,
} from './kubernetes.ts';
import type { PersistentVolumeClaim } from './storage.ts';

/** Workloads that only simulations and plans read, reduced to the fields that they use. */

/** The annotation of a pod template that gives the time for which its pods run in a simulation: `10m`. */
export const SIMULATED_DURATION = 'kerf.dev/simulated-duration';

export interface JobSpec {
  readonly parallelism?: number;
  /** Absent: the Job is complete when one pod has succeeded and the others have ended. */
  readonly completions?: number;
  readonly completionMode?: 'NonIndexed' | 'Indexed';
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly suspend?: boolean;
  readonly podReplacementPolicy?: 'TerminatingOrFailed' | 'Failed';
  readonly podFailurePolicy?: {
    readonly rules: readonly {
      readonly action: 'FailJob' | 'FailIndex' | 'Ignore' | 'Count';
      readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[];
    }[];
  };
  readonly template: PodTemplate;
}

export interface Job {
  readonly metadata: ObjectMeta;
  readonly spec: JobSpec;
  readonly status?: {
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly succeeded?: number;
    readonly failed?: number;
    /** `Complete` or `Failed` once it has finished. */
    readonly conditions?: readonly Condition[];
  };
}

export interface CronJob {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly schedule: string;
    /** @default UTC */
    readonly timeZone?: string;
    readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
    readonly startingDeadlineSeconds?: number;
    readonly suspend?: boolean;
    readonly successfulJobsHistoryLimit?: number;
    readonly failedJobsHistoryLimit?: number;
    readonly jobTemplate: { readonly metadata?: Partial<ObjectMeta>; readonly spec: JobSpec };
  };
}

export type ReplicaSet = Deployment;

export interface StatefulSet {
  readonly metadata: ObjectMeta;
  readonly spec: Deployment['spec'] & {
    readonly podManagementPolicy?: 'OrderedReady' | 'Parallel';
    readonly ordinals?: { readonly start?: number };
    readonly minReadySeconds?: number;
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenScaled?: 'Retain' | 'Delete' };
    readonly volumeClaimTemplates?: readonly VolumeClaimTemplate[];
  };
}

/** A pod of a StatefulSet has a PersistentVolumeClaim `TEMPLATE-POD` from each of these. */
export interface VolumeClaimTemplate {
  readonly metadata: ObjectMeta;
  readonly spec: VolumeClaimSpec;
}

/** The template of a StatefulSet for one pod: it mounts the claims of this pod. A claim replaces a volume of its name. */
export function templateOf({ template, volumeClaimTemplates = [] }: StatefulSet['spec'], pod: string): PodTemplate {
  if (volumeClaimTemplates.length === 0) return template;
  const own = volumeClaimTemplates.map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${pod}` },
  }));
  const others = (template.spec.volumes ?? []).filter(({ name }) => own.every((one) => one.name !== name));
  return { ...template, spec: { ...template.spec, volumes: [...others, ...own] } };
}

/** The claims that the StatefulSet controller creates for one pod. */
export function claimsOf({ metadata, spec }: StatefulSet, pod: string): readonly PersistentVolumeClaim[] {
  return (spec.volumeClaimTemplates ?? []).map(({ metadata: template, spec: claim }) => ({
    metadata: { ...template, name: `${template.name}-${pod}`, namespace: namespaceOf({ metadata }) },
    spec: claim,
  }));
}

/** The kinds whose number of replicas a Scenario and an autoscaler can change. */
export const SCALABLE_KINDS = ['Deployment', 'ReplicaSet', 'StatefulSet'] as const;
export type ScaledKind = (typeof SCALABLE_KINDS)[number];

/** A workload with replicas. *Units:* the key is `namespace/name`. */
export interface WorkloadReference {
  readonly kind: ScaledKind;
  readonly key: string;
}

export interface MetricTarget {
  readonly type: 'Utilization' | 'AverageValue' | 'Value';
  readonly averageUtilization?: number;
  readonly averageValue?: string | number;
}

export interface ResourceMetric {
  readonly name: string;
  /** Only in a ContainerResource metric. */
  readonly container?: string;
  readonly target: MetricTarget;
}

export interface Metric {
  readonly type: 'Resource' | 'ContainerResource' | 'Pods' | 'Object' | 'External';
  readonly resource?: ResourceMetric;
  readonly containerResource?: ResourceMetric;
}

export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: 'Max' | 'Min' | 'Disabled';
  /** The share of the target by which the usage may differ from it. @default 0.1 */
  readonly tolerance?: string | number;
  readonly policies?: readonly {
    readonly type: 'Pods' | 'Percent';
    readonly value: number;
    readonly periodSeconds: number;
  }[];
}

/** Of autoscaling/v2, or of v1 with `targetCPUUtilizationPercentage`. */
export interface HorizontalPodAutoscaler {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly scaleTargetRef: { readonly kind: string; readonly name: string };
    readonly minReplicas?: number;
    readonly maxReplicas: number;
    readonly metrics?: readonly Metric[];
    readonly targetCPUUtilizationPercentage?: number;
    readonly behavior?: { readonly scaleUp?: ScalingRules; readonly scaleDown?: ScalingRules };
  };
}
