import type { Condition, Labels, NodeSelectorRequirement, ObjectMeta, ResourceList, Taint } from './kubernetes.ts';

/** A requirement of a NodePool or NodeClaim: a node selector requirement that may ask for flexibility (A1.5, A1.6). */
export interface NodePoolRequirement extends NodeSelectorRequirement {
  readonly minValues?: number;
}

export interface NodeClassReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export type DisruptionReason = 'Underutilized' | 'Empty' | 'Drifted';

export interface DisruptionBudget {
  /** A count or a percentage, as text: `3`, `10%` (A1.15). */
  readonly nodes: string;
  readonly reasons?: readonly DisruptionReason[];
  readonly schedule?: string;
  readonly duration?: string;
}

export type ConsolidationPolicy = 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced';

export interface NodePool {
  readonly apiVersion: 'karpenter.sh/v1';
  readonly kind: 'NodePool';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly template: {
      readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels };
      readonly spec: {
        readonly nodeClassRef: NodeClassReference;
        readonly requirements: readonly NodePoolRequirement[];
        readonly taints?: readonly Taint[];
        readonly startupTaints?: readonly Taint[];
        /** A duration or `Never`; 720h where absent (A1.9). */
        readonly expireAfter?: string;
        readonly terminationGracePeriod?: string;
      };
    };
    readonly disruption?: {
      readonly consolidateAfter?: string;
      readonly consolidationPolicy?: ConsolidationPolicy;
      readonly budgets?: readonly DisruptionBudget[];
    };
    readonly limits?: ResourceList;
    readonly weight?: number;
    readonly replicas?: number;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** What the API server fills in where the manifest is silent (A1.9, A1.11, A1.13, A1.14). */
export const NODE_POOL_DEFAULTS = {
  expireAfter: '720h',
  consolidateAfter: '0s',
  consolidationPolicy: 'WhenEmptyOrUnderutilized',
  budgets: [{ nodes: '10%' }],
} as const satisfies {
  expireAfter: string;
  consolidateAfter: string;
  consolidationPolicy: ConsolidationPolicy;
  budgets: readonly DisruptionBudget[];
};
