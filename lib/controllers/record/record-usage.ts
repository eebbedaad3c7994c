import type { RecorderOptions, ReportedRun } from './reported-run.ts';
import type { UsageHours } from './usage-hours.ts';
import { isDone } from './within-wait.ts';

/**
 * Writes the usage that is due. In shadow, the snapshot of an hour shows later what Kerf would have run, unless snapshots are off. A failure
 * is logged.
 */
export async function recordUsage(
  { log, archive, snapshotText }: RecorderOptions,
  run: ReportedRun,
  usage: UsageHours,
): Promise<void> {
  const { ended, current } = usage.due(run);
  const failed = 'failed to record the usage of an hour';
  if (ended !== undefined) await isDone(run, failed, async () => log.writeUsage(ended));
  if (current === undefined) return;
  const { hour, decided } = current;
  const key = `snapshots/${hour.cluster}/usage-${hour.hourMs}.json.gz`;
  const isStored =
    run.shadow === true &&
    run.snapshots !== 'off' &&
    archive !== undefined &&
    (await isDone(run, failed, async () => archive.put(key, snapshotText(decided))));
  if (isStored) usage.archived(hour.cluster, key);
  await isDone(run, failed, async () => log.writeUsage(isStored ? { ...hour, snapshot: key } : hour));
}
