import { type JobSchedule, parseJobSchedule } from '../../../apis/formats/job-schedule.ts';
import { MINUTE_MS, SECOND_MS } from '../../../apis/formats/time.ts';
import { namespaceOf } from '../../../apis/kubernetes.ts';
import type { CronJob, Job } from '../../../apis/workloads.ts';
import type { Timetable } from '../../timetable.ts';
import { objectKeyOf, uidOf } from '../objects.ts';
import type { KubernetesState } from '../state.ts';
import { controllerReference } from './controller-pods.ts';
import { addJob, isFinished, removeJob } from './jobs.ts';

/** Kubernetes's defaults. */
const SUCCESSFUL_LIMIT = 3;
const FAILED_LIMIT = 1;

interface Scheduled {
  readonly cronJob: CronJob;
  readonly next: JobSchedule;
  /** The keys of its Jobs, the oldest first. */
  jobs: readonly string[];
  /** The time of a Job that was not started yet, because another one is active. */
  missedMs: number | undefined;
}

interface CronWorld {
  readonly state: KubernetesState;
  readonly timetable: Timetable;
}

/** The CronJob controller. *Shape:* the function that starts late Jobs and deletes old ones, after each change of a Job. */
export function cronJobController(world: CronWorld): () => void {
  const all = world.state.cronJobs.flatMap((cronJob): readonly Scheduled[] => {
    const next = parseJobSchedule(cronJob.spec.schedule, cronJob.spec.timeZone);
    const isPlayed = next !== undefined && cronJob.spec.suspend !== true;
    return isPlayed ? [{ cronJob, next, jobs: [], missedMs: undefined }] : [];
  });
  for (const scheduled of all) plan(world, scheduled);
  return () => {
    for (const scheduled of all) {
      if (scheduled.missedMs !== undefined) start(world, scheduled);
      deleteOldJobs(world, scheduled);
    }
  };
}

function plan(world: CronWorld, scheduled: Scheduled): void {
  const { timetable } = world;
  const atMs = scheduled.next(timetable.now());
  if (atMs === undefined) return;
  timetable.after(atMs - timetable.now(), () => {
    scheduled.missedMs = atMs;
    start(world, scheduled);
    plan(world, scheduled);
  });
}

/** Starts the Job that is due, at most `startingDeadlineSeconds` late; with Forbid, when no other is active. */
function start({ state, timetable }: CronWorld, scheduled: Scheduled): void {
  const { cronJob, jobs, missedMs = 0 } = scheduled;
  const { concurrencyPolicy, startingDeadlineSeconds = Infinity } = cronJob.spec;
  const active = jobs.filter((key) => isActiveJob(state.jobs.get(key)));
  if (concurrencyPolicy === 'Forbid' && active.length > 0) return;
  scheduled.missedMs = undefined;
  if (timetable.now() > missedMs + startingDeadlineSeconds * SECOND_MS) return;
  if (concurrencyPolicy === 'Replace') for (const key of active) removeJob(state, key);
  const job = jobOf(cronJob, missedMs);
  // Two times within a minute have the same name.
  if (state.jobs.has(objectKeyOf(job))) return;
  addJob(state, job);
  scheduled.jobs = [...jobs, objectKeyOf(job)];
}

function isActiveJob(job: Job | undefined): boolean {
  return job !== undefined && !isFinished(job);
}

function jobOf(cronJob: CronJob, atMs: number): Job {
  const { name } = cronJob.metadata;
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const owner = controllerReference('batch/v1', 'CronJob', { name, uid: uidOf('CronJob', cronJob) });
  return {
    metadata: {
      ...metadata,
      name: `${name}-${Math.floor(atMs / MINUTE_MS)}`,
      namespace: namespaceOf(cronJob),
      ownerReferences: [owner],
    },
    spec,
  };
}

function deleteOldJobs({ state }: CronWorld, scheduled: Scheduled): void {
  const { spec } = scheduled.cronJob;
  scheduled.jobs = scheduled.jobs.filter((key) => state.jobs.has(key));
  const ended = (type: string): readonly string[] =>
    scheduled.jobs.filter((key) => state.jobs.get(key)?.status?.conditions?.some((one) => one.type === type));
  const limits = [
    [ended('Complete'), spec.successfulJobsHistoryLimit ?? SUCCESSFUL_LIMIT],
    [ended('Failed'), spec.failedJobsHistoryLimit ?? FAILED_LIMIT],
  ] as const;
  for (const [keys, limit] of limits)
    for (const key of keys.slice(0, Math.max(0, keys.length - limit))) removeJob(state, key);
}
