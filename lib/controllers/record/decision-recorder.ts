/** Records what runs have decided. A run never fails because of it, and waits for it at most two seconds, after its last action. */
import { optional } from '../../apis/optional.ts';
import type { DecidedOn } from '../../core/decisions/decided-on.ts';
import { type EndedRun, recordOfRun } from '../../core/decisions/record-of-run.ts';
import type { Blocked } from '../../core/model/decision.ts';
import { runMarks } from './mark-runs.ts';
import { isArchived, isKnownShadow, isWorthRecording, type Part, partsOf } from './parts-of-run.ts';
import { recordUsage } from './record-usage.ts';
import { refusalMemory } from './refusal-memory.ts';
import type { RecorderOptions, ReportedRun } from './reported-run.ts';
import { usageHours } from './usage-hours.ts';
import { failureOf, isDone } from './within-wait.ts';

export interface DecisionRecorder {
  /** Never throws. A failure is logged. */
  record(run: ReportedRun): Promise<void>;
}

/**
 * With its memory of refusals and marks. *Cost:* nothing for a run that neither acts nor has a new refusal; else a write, and a PUT for a
 * snapshot. The marks of a cluster are 48 writes an hour, and its usage two to six.
 */
export function decisionRecorder(options: RecorderOptions): DecisionRecorder {
  const memory = refusalMemory();
  const shadows = new Map<string, string>();
  const marks = runMarks();
  const usage = usageHours();
  return {
    async record(run) {
      const { cluster, controller } = run.report;
      const work = `${cluster} ${controller}`;
      for (const part of partsOf(run.report)) {
        const nowMs = part.decisions[0]?.atMs ?? 0;
        const fresh = memory.fresh(
          work,
          part.decisions.flatMap(({ blocked }) => blocked),
          nowMs,
        );
        if (!isWorthRecording(part.decisions, fresh) || isKnownShadow(shadows, work, part)) continue;
        const isWritten = await isDone(run, 'failed to record a decision', async () =>
          write(options, run, { ...part, fresh }),
        );
        if (isWritten) memory.recorded(work, fresh, nowMs);
      }
      const mark = marks.due(run, options);
      if (mark !== undefined && (await isDone(run, 'failed to mark a run', async () => options.log.mark(mark))))
        marks.written(mark);
      await recordUsage(options, run, usage);
    },
  };
}

async function write(
  options: RecorderOptions,
  run: ReportedRun,
  { decisions, decided, fresh }: Part & { readonly fresh: readonly Blocked[] },
): Promise<void> {
  const { report, durationMs, wokenBy } = run;
  const { cluster, controller } = report;
  const ended: EndedRun = {
    cluster,
    controller,
    wokenBy,
    decisions,
    durationMs,
    version: options.version,
    ...optional({ snapshot: decided?.snapshot, instances: report.instances }),
  };
  const record = recordOfRun(ended, fresh);
  const snapshot =
    decided && isArchived(run.snapshots, record.id, decisions) ? await archived(options, run, { decided, record }) : {};
  await options.log.write({ ...record, ...snapshot });
}

/** A record without its snapshot is better than none. */
async function archived(
  { archive, snapshotText }: RecorderOptions,
  { telemetry }: ReportedRun,
  {
    decided,
    record,
  }: { readonly decided: DecidedOn; readonly record: { readonly id: string; readonly cluster: string } },
): Promise<{ readonly snapshot?: string }> {
  if (archive === undefined) return {};
  const { cluster, id } = record;
  const key = `snapshots/${cluster}/${id}.json.gz`;
  const failure = await failureOf((async () => archive.put(key, snapshotText(decided)))());
  if (failure === undefined) return { snapshot: key };
  telemetry.error('failed to store the snapshot of a decision', failure, { cluster, decision: id });
  return {};
}
