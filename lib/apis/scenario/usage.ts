import type { WorkloadReference } from '../workloads.ts';

/** What a workload uses over time, for its HorizontalPodAutoscaler. *Units:* cores of all its pods together. */
export interface UsageCurve {
  readonly workload: WorkloadReference;
  /** At least one, ordered by time. */
  readonly points: readonly { readonly atMs: number; readonly cores: number }[];
  /** The curve begins again after each such time. @default never */
  readonly repeatsMs?: number;
}
