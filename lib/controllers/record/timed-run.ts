import type { ClusterSettings } from '../../core/model/settings.ts';
import { MARK_PAUSE_MS } from '../../core/status/function-mark.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Timer } from '../../ports/timer.ts';
import type { RemembersRefusals, RunReport } from '../run/ports.ts';
import type { MessageRuntime } from '../run/retry-soon.ts';

/** What is known of the cluster of a run. */
export interface RunPlace extends RemembersRefusals {
  readonly settings: Pick<ClusterSettings, 'decisionSnapshots' | 'shadow' | 'usageLabels'>;
  readonly clock: Clock;
  /** @default the cluster has none */
  readonly webhook?: object | undefined;
}

/** A run that begins now. Its recording never throws. */
export interface TimedRun {
  /** @param place of a function that reconciles a cluster */
  record(wake: { readonly reason: string }, report: RunReport, place?: RunPlace): Promise<void>;
}

export function timedRun({ recorder, telemetry }: MessageRuntime, timer: Timer): TimedRun {
  const beforeMs = timer.remainingMs();
  return {
    async record({ reason }, report, place) {
      const durationMs = beforeMs - timer.remainingMs();
      const { decisionSnapshots: snapshots, shadow, usageLabels } = place?.settings ?? {};
      const atMs = place?.clock.now() ?? report.decisions[0]?.atMs ?? 0;
      const failing = place?.refusals?.persisting(`${report.cluster}: `, atMs - MARK_PAUSE_MS);
      const marked = { wokenBy: reason, report, atMs, shadow, failing, hasWebhook: place?.webhook !== undefined };
      await recorder?.record({ ...marked, durationMs, snapshots, usageLabels, timer, telemetry });
    },
  };
}
