import { DAY_MS, HOUR_MS, SECOND_MS } from '../../lib/apis/formats/time.ts';

/**
 * The shape of the simulated week, fitted to public traces of Alibaba's clusters: `services` and `longTasks` to the trace of 2025
 * (24,000 instances of 156 applications of recommendation models, over 31 days), `shortTasks` to the trace of 2023 (8,152 pods that
 * share GPUs). Only these figures are kept. They are quantiles: `sigma` is the logarithm of the 90th percentile divided by the
 * median, divided by 1.28. Requests are the CPU and memory of the traces, whose nodes are larger than those of EC2, divided by 32 and
 * 16; those of services are from a list of 2,217 pods of microservices. GPUs are left out.
 */
export const FIGURES = {
  /** The part of the requested CPU of each kind. It is chosen, not fitted. */
  cpuShares: { services: 0.74, longTasks: 0.25, shortTasks: 0.01 },
  services: {
    /** Of an application, on average over its time. */
    replicas: { median: 11, sigma: 1.6, min: 1, max: 300 },
    /** The 90th percentile is 4 cpu, and a quarter are 200m or less. */
    cpuMillicores: { median: 500, sigma: 1.4, min: 50, max: 4_000 },
    gibPerCpu: { median: 3, sigma: 1.1, min: 0.5, max: 12 },
    /** The share of hours in which the number of replicas of an application changes, and by which share of them. */
    changesPerHour: 0.05,
    change: { median: 0.008, sigma: 1.77, min: 0, max: 0.5 },
  },
  longTasks: {
    lifetimeMs: { median: 8_410 * SECOND_MS, sigma: 2.75, min: 120 * SECOND_MS, max: 14 * DAY_MS },
    cpuMillicores: [
      [250, 0.3],
      [2_000, 0.45],
      [3_000, 0.25],
    ],
    gibPerCpu: [[5, 1]],
  },
  shortTasks: {
    lifetimeMs: { median: 540 * SECOND_MS, sigma: 1.95, min: 30 * SECOND_MS, max: 2 * DAY_MS },
    cpuMillicores: [
      [200, 0.2],
      [250, 0.15],
      [700, 0.25],
      [750, 0.25],
      [1_000, 0.1],
      [2_000, 0.05],
    ],
    gibPerCpu: [
      [1.75, 0.35],
      [3.75, 0.35],
      [4.25, 0.2],
      [6.5, 0.1],
    ],
  },
  /** Arrivals of tasks in a day: at most 1.6 times the mean, at this time, and at least 0.4 times. Both traces have this range. */
  day: { swing: 0.6, peakAtMs: 14 * HOUR_MS },
} as const;
