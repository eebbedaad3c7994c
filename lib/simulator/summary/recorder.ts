import type { Clock } from '../../ports/clock.ts';
import type { StateWatcher } from '../kubernetes/pod-index.ts';
import type { JobFailure } from '../kubernetes/state.ts';
import type { TimelineEntry } from '../timeline.ts';
import { type DeedMeter, type DeedReport, deedMeter } from './deeds.ts';
import type { Figures } from './figures.ts';
import { type InstanceLedger, type InstanceReport, instanceLedger } from './instance-ledger.ts';
import { type PodCounts, type ResourceUtilisation, utilisationMeter } from './utilisation.ts';
import { type WaitMeter, type WaitReport, waitMeter } from './waits.ts';

/** The facts of the summary. They are added up while the simulation runs, so that a long one need not keep its history. */
export interface Recorder {
  readonly ledger: InstanceLedger;
  readonly waits: Pick<WaitMeter, 'pendingSince' | 'nodeClaimOf'>;
  readonly watcher: StateWatcher;
  /** Takes each entry of the timeline. */
  note(entry: TimelineEntry): void;
  figures(): Figures;
  report(): {
    readonly instances: InstanceReport;
    readonly pods: PodCounts;
    readonly utilisation: readonly ResourceUtilisation[];
    readonly waits: WaitReport;
    readonly deeds: DeedReport;
    readonly jobsFailed: readonly FailedJob[];
  };
}

/** *Units:* `atSeconds` from the start. */
export interface FailedJob extends JobFailure {
  readonly atSeconds: number;
}

export function recorderFrom(clock: Clock): Recorder {
  const ledger = instanceLedger(clock);
  const usage = utilisationMeter(clock);
  const waits = waitMeter();
  const deeds: DeedMeter = deedMeter();
  const jobsFailed: FailedJob[] = [];
  return {
    ledger,
    waits,
    watcher: {
      node: usage.node,
      pod(before, after) {
        usage.pod(before, after);
        if (before !== undefined && after === undefined) waits.forget(before);
      },
    },
    note(entry) {
      waits.note(entry);
      deeds.note(entry);
      if (entry.kind === 'job-failed') jobsFailed.push(failedJob(entry));
    },
    figures() {
      const { podsRunning, podsPending } = usage.pods();
      return { ...ledger.now(), podsRunning, podsPending };
    },
    report: () => ({
      instances: ledger.report(),
      pods: usage.pods(),
      utilisation: usage.report(),
      waits: waits.report(),
      deeds: deeds.report(),
      jobsFailed: [...jobsFailed],
    }),
  };
}

function failedJob(entry: TimelineEntry & { readonly kind: 'job-failed' }): FailedJob {
  const { at: atSeconds, job, workload, reason, podsSucceeded, podsFailed } = entry;
  return { job, workload, reason, podsSucceeded, podsFailed, atSeconds };
}
