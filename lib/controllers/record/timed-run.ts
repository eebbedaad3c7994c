import type { ClusterSettings } from '../../core/model/settings.ts';
import type { Timer } from '../../ports/timer.ts';
import type { RunReport } from '../run/ports.ts';
import type { MessageRuntime } from '../run/retry-soon.ts';

/** A run that begins now. Its recording never throws. */
export interface TimedRun {
  record(
    wake: { readonly reason: string },
    report: RunReport,
    settings?: Pick<ClusterSettings, 'decisionSnapshots'>,
  ): Promise<void>;
}

export function timedRun({ recorder, telemetry }: MessageRuntime, timer: Timer): TimedRun {
  const beforeMs = timer.remainingMs();
  return {
    async record({ reason }, report, settings) {
      const durationMs = beforeMs - timer.remainingMs();
      const snapshots = settings?.decisionSnapshots;
      await recorder?.record({ wokenBy: reason, report, durationMs, snapshots, timer, telemetry });
    },
  };
}
