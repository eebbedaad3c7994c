import type { Labels } from '../../apis/kubernetes.ts';
import { SECOND_MS } from '../../apis/time.ts';

/** Pods by where they are and what they are labelled; each part that is given must hold. */
export interface WorkloadSelector {
  /** @default every namespace */
  readonly namespace?: string;
  /** All of them. @default every pod */
  readonly labels?: Labels;
}

/** F18: what a cluster can do without. A gate of Karpenter's for what Kerf does not do has no meaning here. */
export interface FeatureGates {
  /** A4. Off, NodeOverlays are not read. */
  readonly nodeOverlay: boolean;
  /** A5. Off, CapacityBuffers are not read. */
  readonly capacityBuffer: boolean;
  /** B59. Off, instances are bought where they are paid for already. */
  readonly reservedCapacity: boolean;
}

/** What a cluster's owner may set of how it is decided and acted: F17, F18 and F20, as far as they have a meaning here. */
export interface ClusterSettings {
  /** F17 BATCH_IDLE_DURATION: how long no pod may come before a run begins. */
  readonly batchIdleMs: number;
  /** F17 BATCH_MAX_DURATION: how long pods may keep coming before a run begins all the same. */
  readonly batchMaxMs: number;
  /** B32. */
  readonly preferencePolicy: 'Respect' | 'Ignore';
  /** B24. */
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  readonly featureGates: FeatureGates;
  /** F20 VM_MEMORY_OVERHEAD_PERCENT, as a share of 1 (C4). */
  readonly memoryOverhead: number;
  /** F20 RESERVED_ENIS (C7). */
  readonly reservedEnis: number;
  /** Pods that neither wake an empty cluster nor hold its last node. */
  readonly ignoreAtZero: readonly WorkloadSelector[];
  /** Decisions are made and recorded; nothing is written to the cluster and nothing is asked of EC2. */
  readonly shadow: boolean;
}

export const DEFAULT_SETTINGS: ClusterSettings = {
  batchIdleMs: SECOND_MS,
  batchMaxMs: 10 * SECOND_MS,
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  featureGates: { nodeOverlay: true, capacityBuffer: true, reservedCapacity: true },
  memoryOverhead: 0.075,
  reservedEnis: 0,
  ignoreAtZero: [{ namespace: 'kube-system' }],
  shadow: false,
};
