import type { PodTemplate } from '../kubernetes.ts';

/** Where the rows of a trace are, and what its pods are like. */
export interface TraceSource {
  /** The path as the manifest has it: relative to the file of the Scenario. */
  readonly file: string;
  /** The file of the Scenario. */
  readonly declaredIn: string;
  /** @default one container */
  readonly template?: PodTemplate;
}

/**
 * The rows of a trace in the order of their times, as columns of numbers: a million rows take 40 MB. *Units:* `timeMs` counts from
 * the start of the simulation.
 */
export interface Trace {
  readonly file: string;
  readonly length: number;
  readonly timeMs: Float64Array;
  readonly count: Float64Array;
  readonly cpuMillicores: Float64Array;
  readonly memoryBytes: Float64Array;
  readonly lifetimeMs: Float64Array;
}
