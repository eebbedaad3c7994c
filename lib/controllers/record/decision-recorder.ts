/** Records what runs have decided. A run never fails because of it, and waits for it at most two seconds, after its last action. */
import { SECOND_MS } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import type { DecidedOn } from '../../core/decisions/decided-on.ts';
import { type EndedRun, recordOfRun } from '../../core/decisions/record-of-run.ts';
import type { Blocked } from '../../core/model/decision.ts';
import type { DecisionSnapshots } from '../../core/model/settings.ts';
import type { DecisionArchive, DecisionLog } from '../../ports/decision-log.ts';
import type { Timer } from '../../ports/timer.ts';
import type { Telemetry } from '../run/telemetry.ts';
import { type MarkedRun, runMarks } from './mark-runs.ts';
import { isArchived, isKnownShadow, isWorthRecording, type Part, partsOf } from './parts-of-run.ts';
import { refusalMemory } from './refusal-memory.ts';
import { type UsageHours, type UsedRun, usageHours } from './usage-hours.ts';

export interface RecorderOptions {
  readonly log: DecisionLog;
  /** @default snapshots are not stored */
  readonly archive?: DecisionArchive;
  /** Writes a decision with its snapshot as text. */
  readonly snapshotText: (decided: DecidedOn) => string;
  /** The version of Kerf. */
  readonly version: string;
}

/** A run that has ended. */
export interface ReportedRun extends MarkedRun, Pick<UsedRun, 'usageLabels'> {
  readonly durationMs: number;
  /** @default 'off' */
  readonly snapshots?: DecisionSnapshots | undefined;
  readonly timer: Timer;
  readonly telemetry: Telemetry;
}

export interface DecisionRecorder {
  /** Never throws. A failure is logged. */
  record(run: ReportedRun): Promise<void>;
}

const MAX_WAIT_MS = 2 * SECOND_MS;

/**
 * With its memory of refusals and marks. *Cost:* nothing for a run that neither acts nor has a new refusal; else a write, and a PUT for a
 * snapshot. The marks of a cluster are 16 writes an hour, and its usage two.
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
      const mark = marks.due(run, options.version);
      if (mark !== undefined && (await isDone(run, 'failed to mark a run', async () => options.log.mark(mark))))
        marks.written(mark);
      await recordUsage(options, run, usage);
    },
  };
}

/** In shadow, the snapshot of an hour shows later what Kerf would have run. */
async function recordUsage({ log, archive, snapshotText }: RecorderOptions, run: ReportedRun, usage: UsageHours) {
  const { ended, current } = usage.due(run);
  const failed = 'failed to record the usage of an hour';
  if (ended !== undefined) await isDone(run, failed, async () => log.writeUsage(ended));
  if (current === undefined) return;
  const { hour, decided } = current;
  const key = `snapshots/${hour.cluster}/usage-${hour.hourMs}.json.gz`;
  const isStored =
    run.shadow === true &&
    archive !== undefined &&
    (await isDone(run, failed, async () => archive.put(key, snapshotText(decided))));
  if (isStored) usage.archived(hour.cluster, key);
  await isDone(run, failed, async () => log.writeUsage(isStored ? { ...hour, snapshot: key } : hour));
}

async function isDone(
  { timer, telemetry, report }: ReportedRun,
  failed: 'failed to mark a run' | 'failed to record a decision' | 'failed to record the usage of an hour',
  work: () => Promise<void>,
): Promise<boolean> {
  const { promise: expired, resolve } = Promise.withResolvers<Error>();
  const ms = Math.min(MAX_WAIT_MS, timer.remainingMs() / 2);
  const cancel = timer.after(ms, () => resolve(new Error(`not written within ${ms} ms`)));
  const failure = await Promise.race([failureOf(work()), expired]);
  cancel();
  if (failure === undefined) return true;
  const { cluster, controller } = report;
  telemetry.error(failed, failure, { cluster, controller });
  return false;
}

async function failureOf(work: Promise<void>): Promise<Error | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
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
