import { HOUR_MS, SECOND_MS } from '../apis/formats/time.ts';
import { optional } from '../apis/optional.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';
import type { KubernetesState } from './kubernetes/state.ts';
import type { Counts, DisruptionDeeds } from './summary/deeds.ts';
import type { InstanceCount, PoolCost } from './summary/instance-ledger.ts';
import { type LastRefusals, type PendingReport, pendingPods } from './summary/pending-pods.ts';
import type { FailedJob, Recorder } from './summary/recorder.ts';
import type { ResourceUtilisation } from './summary/utilisation.ts';
import type { WaitReport } from './summary/waits.ts';
import type { TimelineEntry } from './timeline.ts';

/** Raised when a field of the summary is removed, or changes its meaning. New fields do not change it. */
export const FORMAT_VERSION = 1;

/** A month of a cost. */
export const HOURS_A_MONTH = 730;

/**
 * How a simulation ended. `settled`: only expiry remained, and no duration was given. `time`: the simulated time is over.
 * `interrupted`: the user ended it.
 */
export type Ended = 'settled' | 'time' | 'interrupted';

/** The summary of a simulation: `kerf simulate --output json` without its timeline. */
export interface SimulationSummary extends PendingReport {
  readonly formatVersion: typeof FORMAT_VERSION;
  readonly region: string;
  readonly seed: number;
  readonly ended: Ended;
  readonly simulatedSeconds: number;
  /** The longest time that was to be simulated. */
  readonly durationSeconds: number;
  /** Instances that Kerf launched. */
  readonly nodesLaunched: number;
  /** The most instances at one time. */
  readonly nodesAtPeak: number;
  /** When that was first so, from the start. */
  readonly peakAtSeconds: number;
  /** Instances that run; those that shut down cost nothing more and are counted apart. */
  readonly nodesAtEnd: number;
  readonly nodesShuttingDown: number;
  /** By type, zone and capacity type. */
  readonly instances: readonly (InstanceCount & { readonly devices: string })[];
  readonly totalCostUsd: number;
  readonly usdPerHourAtEnd: number;
  /** What the nodes at the end cost in a month of 730 hours. */
  readonly usdPerMonthAtEnd: number;
  /** The total cost, for a month of 730 hours. */
  readonly usdPerMonthAtThisRate: number;
  readonly costByNodePool: readonly PoolCost[];
  /** Requests of pods divided by what nodes had, over the whole time. */
  readonly utilisation: readonly ResourceUtilisation[];
  /** Pods of DaemonSets included. */
  readonly podsRunning: number;
  readonly daemonSetPodsRunning: number;
  /** Those of the running pods whose kubelet does not report, so that it is not certain that they run; without DaemonSets. */
  readonly podsUnreachable: number;
  /** The time from the creation of a pod to its start, for all pods that started, except those of DaemonSets. */
  readonly pendingToRunningSeconds: WaitReport;
  /** Jobs that failed, also if they were deleted later; in the order of their failures. */
  readonly jobsFailed: readonly FailedJob[];
  readonly spotInterruptions: number;
  readonly removedByReason: Counts;
  readonly evictedByReason: Counts;
  readonly disruption: DisruptionDeeds;
  readonly launchesRefused: number;
  readonly actions: Counts;
  /** What is not simulated, or simulated with an assumption; objects with the same note are in one line. */
  readonly notes: readonly string[];
}

/** The summary with the timeline. */
export interface SimulationResult extends SimulationSummary {
  readonly timeline: readonly TimelineEntry[];
}

export interface SummaryParts {
  readonly state: KubernetesState;
  readonly recorder: Recorder;
  readonly notes: readonly string[];
  readonly refusals: LastRefusals;
  /** Why the last run of provisioning failed. @default it succeeded */
  readonly failure?: string;
  readonly nowMs: number;
  readonly startMs: number;
  readonly durationMs: number;
  readonly ended: Ended;
  readonly seed: number;
  readonly catalogue: Catalogue;
}

export function summaryOf(parts: SummaryParts): SimulationSummary {
  const { recorder, notes, nowMs, startMs, durationMs, ended, seed, catalogue, state, refusals, failure } = parts;
  const { instances, pods, utilisation, waits, deeds, jobsFailed } = recorder.report();
  const { costUsd, usdPerHourAtEnd } = instances;
  const sinceMs = (pod: string): number => startMs + (recorder.waits.pendingSince(pod) ?? 0) * SECOND_MS;
  const devicesOf = devicesByType(catalogue);
  return {
    formatVersion: FORMAT_VERSION,
    region: catalogue.region,
    seed,
    ended,
    simulatedSeconds: (nowMs - startMs) / SECOND_MS,
    durationSeconds: durationMs / SECOND_MS,
    nodesLaunched: instances.launched,
    nodesAtPeak: instances.atPeak,
    peakAtSeconds: instances.peakAtSeconds,
    nodesAtEnd: instances.atEnd,
    nodesShuttingDown: instances.shuttingDown,
    instances: instances.instances.map((one) => ({ ...one, devices: devicesOf.get(one.instanceType) ?? '' })),
    totalCostUsd: costUsd,
    usdPerHourAtEnd,
    usdPerMonthAtEnd: inCents(usdPerHourAtEnd * HOURS_A_MONTH),
    usdPerMonthAtThisRate: nowMs === startMs ? 0 : inCents((costUsd / ((nowMs - startMs) / HOUR_MS)) * HOURS_A_MONTH),
    costByNodePool: instances.nodePools,
    utilisation,
    podsRunning: pods.podsRunning,
    daemonSetPodsRunning: pods.daemonSetPodsRunning,
    podsUnreachable: pods.podsUnreachable,
    ...pendingPods({
      state,
      refusals,
      sinceMs,
      nodeClaimOf: recorder.waits.nodeClaimOf,
      nowMs,
      isSettled: ended === 'settled',
      ...optional({ failure }),
    }),
    pendingToRunningSeconds: waits,
    jobsFailed,
    spotInterruptions: instances.spotInterruptions,
    ...deeds,
    notes,
  };
}

/** `4 A10G`, `1 Inferentia2`: the GPUs and Neuron devices of the types that have any. */
function devicesByType({ facts }: Catalogue): ReadonlyMap<string, string> {
  return new Map(
    facts.flatMap(({ name, gpus, neuron, accelerators }) => {
      const all = [...gpus, ...neuron, ...accelerators];
      return all.length === 0 ? [] : [[name, all.map((one) => `${one.count} ${one.name}`).join(', ')] as const];
    }),
  );
}

function inCents(usd: number): number {
  return Math.round(usd * 100) / 100;
}
