import type { ObjectMeta } from './kubernetes.ts';

/** HorizontalPodAutoscalers of autoscaling/v2, and of v1 with `targetCPUUtilizationPercentage`, reduced to what the simulator uses. */

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
  readonly policies?: readonly {
    readonly type: 'Pods' | 'Percent';
    readonly value: number;
    readonly periodSeconds: number;
  }[];
}

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
