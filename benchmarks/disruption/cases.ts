import type { SnapshotDocument } from '../snapshot-document.ts';
import { halfFullCluster, packedCluster } from './clusters.ts';

/** A cluster to plan, and what its plan may cost. */
export interface DisruptionCase {
  readonly name: string;
  readonly maxMs: number;
  /** Of the whole process. @default not limited */
  readonly maxMb?: number;
  readonly document: () => SnapshotDocument;
}

const packed = (nodes: number, max: Pick<DisruptionCase, 'maxMs' | 'maxMb'>): DisruptionCase => ({
  name: `packed-${nodes}`,
  ...max,
  document: () => packedCluster(nodes),
});

const halfFull = (nodes: number, maxMs: number): DisruptionCase => ({
  name: `half-full-${nodes}`,
  maxMs,
  document: () => halfFullCluster(nodes),
});

export const DISRUPTION_CASES: readonly DisruptionCase[] = [
  packed(100, { maxMs: 80 }),
  packed(300, { maxMs: 300 }),
  packed(1_000, { maxMs: 2_000 }),
  packed(5_000, { maxMs: 60_000, maxMb: 1_200 }),
  halfFull(300, 500),
  halfFull(1_000, 1_500),
  halfFull(2_000, 3_000),
];
