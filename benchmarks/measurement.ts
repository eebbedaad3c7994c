/** The measurements of one process on one snapshot. */
export interface Measured {
  readonly pods: number;
  readonly types: number;
  readonly existingNodes: number;
  /** The first run of the process. */
  readonly coldMs: number;
  /** The median of the runs after the cold run and one warm-up run. */
  readonly ms: number;
  readonly runsMs: readonly number[];
  /** The largest memory of the whole process: the runtime, reading the snapshot, and every run. */
  readonly peakMb: number;
  /** The same after the cold run. */
  readonly coldPeakMb: number;
  /** The largest heap after any run. */
  readonly peakHeapMb: number;
  readonly newClaims: number;
  readonly unplaced: number;
  readonly usdPerHour: number;
  /** A lower bound of the price of any nodes for these pods; 0 if it is not computed. */
  readonly boundUsdPerHour: number;
  /** Undefined if the search does not lower the price. */
  readonly withoutSearch?: WithoutSearch;
}

/** The result if the pods of new claims are not packed again. */
interface WithoutSearch {
  readonly ms: number;
  readonly usdPerHour: number;
  /** The CPU time with the search divided by that without it. */
  readonly cpuRatio: number;
}

/** The result of Karpenter's scheduler for the same snapshot, from the file next to the scenario. */
export interface KarpenterResult {
  readonly ms: number;
  readonly newClaims: number;
  readonly unplaced: number;
  readonly usdPerHour: number;
}

export interface Measurement extends Measured {
  readonly name: string;
  readonly podsPerSecond: number;
  readonly karpenter?: KarpenterResult & {
    /** Karpenter's time divided by Kerf's. */
    readonly ratio: number;
    readonly coldRatio: number;
  };
}

export function measurement(name: string, measured: Measured, karpenter: KarpenterResult | undefined): Measurement {
  const { pods, ms, coldMs } = measured;
  return {
    name,
    ...measured,
    podsPerSecond: (pods * 1_000) / ms,
    ...(karpenter === undefined
      ? {}
      : { karpenter: { ...karpenter, ratio: karpenter.ms / ms, coldRatio: karpenter.ms / coldMs } }),
  };
}

/** The growth of time among cases that differ only in size: from a quarter of the largest size, or else from the smallest. */
export interface Growth {
  readonly kind: string;
  readonly fromPods: number;
  readonly toPods: number;
  /** The time of the larger case divided by that of the smaller. */
  readonly times: number;
}

export function growthOf(measurements: readonly Measurement[]): readonly Growth[] {
  const kinds = Map.groupBy(measurements, ({ name }) => name.replace(/-?\d+$/, ''));
  return [...kinds].flatMap(([kind, ofKind]) => {
    const [smallest, ...larger] = ofKind.toSorted((a, b) => a.pods - b.pods);
    const largest = larger.at(-1);
    if (smallest === undefined || largest === undefined) return [];
    const from = larger.find(({ pods }) => pods * 4 === largest.pods) ?? smallest;
    return [{ kind, fromPods: from.pods, toPods: largest.pods, times: largest.ms / from.ms }];
  });
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
