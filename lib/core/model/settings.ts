import { SECOND_MS } from '../../apis/formats/time.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { DEFAULT_PREFERENCE_PRICE_FACTOR, type SchedulingOptions } from './scheduling-options.ts';

/** Selects pods by namespace and labels. A pod must match both if both are set. */
export interface WorkloadSelector {
  /** @default every namespace */
  readonly namespace?: string;
  /** The pod must have all of these labels. @default every pod */
  readonly labels?: Labels;
}

/** F18: features that can be enabled and disabled. Kerf has no gate for features of Karpenter that it does not implement. */
export interface FeatureGates {
  /** A4. If false, NodeOverlays are not read. */
  readonly nodeOverlay: boolean;
  /** A5. If false, CapacityBuffers are not read. */
  readonly capacityBuffer: boolean;
  /** B59, C60. If false, no capacity reservation is selected, and EC2 puts instances into open ones. */
  readonly reservedCapacity: boolean;
  /** D29. If true, nodes that stay unhealthy are replaced. */
  readonly nodeRepair: boolean;
  /** E24. If true, consolidation replaces spot nodes by cheaper spot nodes. */
  readonly spotToSpotConsolidation: boolean;
  /** D31. If true, NodePools with `spec.replicas` keep this number of nodes. */
  readonly staticCapacity: boolean;
}

/** Of which decisions on the cluster the snapshot is stored: none, about a tenth of those that acted, all that acted (more than nominations), or all. */
export const DECISION_SNAPSHOTS = ['off', 'sampled', 'acted', 'all'] as const;
export type DecisionSnapshots = (typeof DECISION_SNAPSHOTS)[number];

/** The settings of a cluster: those of F17, F18 and F20 that apply to Kerf, and Kerf's own. */
export interface ClusterSettings {
  /** F17 BATCH_IDLE_DURATION: a run begins when no pod has become pending for this time. */
  readonly batchIdleMs: number;
  /** F17 BATCH_MAX_DURATION: a run begins after this time even if more pods become pending. */
  readonly batchMaxMs: number;
  /** B32. */
  readonly preferencePolicy: 'Respect' | 'Ignore';
  /** The most that preferences may cost while capacity is missing, as a multiple of the cheapest node without them (B30). */
  readonly preferencePriceFactor: number;
  /** B24. */
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  /** Whether several nodes may be replaced by several cheaper ones (E21). */
  readonly fleetConsolidation: boolean;
  /** E28: whether moves of consolidation that save little for their evictions wait. */
  readonly lowScoreWaits: boolean;
  /** Whether nodes that are used less than others have the taint `kerf.dev/underutilized:PreferNoSchedule`. */
  readonly softTaints: boolean;
  /** B66: whether pending pods get the name of the node that they are planned for, as `status.nominatedNodeName`. */
  readonly nominatePods: boolean;
  /** How new nodes are chosen. A benchmark sets `first-fit`; no option of a cluster does. @default 'cheapest' */
  readonly packing?: SchedulingOptions['packing'];
  readonly featureGates: FeatureGates;
  /** F20 VM_MEMORY_OVERHEAD_PERCENT, as a fraction of 1 (C4). */
  readonly memoryOverhead: number;
  /** F20 RESERVED_ENIS (C7). */
  readonly reservedEnis: number;
  /** Pods that neither launch the first node of an empty cluster nor keep its last node. */
  readonly ignoreAtZero: readonly WorkloadSelector[];
  /** G17: how long a node may have a condition before it is replaced, by `TYPE=STATUS`, beside the tolerances of D29. */
  readonly repairAfterMs: Readonly<Record<string, number>>;
  /** How long a registered node may take to be initialized before it is deleted. @default no limit, as in Karpenter (D8) */
  readonly initializationTimeoutMs?: number;
  /** Decisions are made and recorded, but neither the cluster nor EC2 is changed. */
  readonly shadow: boolean;
  readonly decisionSnapshots: DecisionSnapshots;
  /** The labels of pods by which usage is kept, for `kerf cost`. */
  readonly usageLabels: readonly string[];
}

export const DEFAULT_SETTINGS: ClusterSettings = {
  batchIdleMs: SECOND_MS,
  batchMaxMs: 10 * SECOND_MS,
  preferencePolicy: 'Respect',
  preferencePriceFactor: DEFAULT_PREFERENCE_PRICE_FACTOR,
  minValuesPolicy: 'Strict',
  fleetConsolidation: true,
  lowScoreWaits: false,
  softTaints: true,
  nominatePods: true,
  featureGates: {
    nodeOverlay: true,
    capacityBuffer: true,
    reservedCapacity: true,
    nodeRepair: false,
    spotToSpotConsolidation: false,
    staticCapacity: false,
  },
  memoryOverhead: 0.075,
  reservedEnis: 0,
  ignoreAtZero: [{ namespace: 'kube-system' }],
  repairAfterMs: {},
  shadow: false,
  decisionSnapshots: 'acted',
  usageLabels: [],
};

/** The options of a decision, from the settings of its cluster. */
export function schedulingOptions(settings: ClusterSettings): SchedulingOptions {
  const { preferencePolicy, preferencePriceFactor, minValuesPolicy, packing, featureGates } = settings;
  const { fleetConsolidation, lowScoreWaits, softTaints } = settings;
  const { spotToSpotConsolidation, staticCapacity } = featureGates;
  return {
    preferencePolicy,
    preferencePriceFactor,
    minValuesPolicy,
    fleetConsolidation,
    lowScoreWaits,
    softTaints,
    spotToSpotConsolidation,
    staticCapacity,
    ...optional({ packing }),
  };
}
