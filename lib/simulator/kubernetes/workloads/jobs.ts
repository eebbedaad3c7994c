import { formatTime, MINUTE_MS, SECOND_MS } from '../../../apis/formats/time.ts';
import { controllerOf, namespaceOf, type Pod } from '../../../apis/kubernetes.ts';
import type { Job } from '../../../apis/workloads.ts';
import { isActive, isTerminal } from '../../../core/cluster/pods.ts';
import type { Timetable } from '../../timetable.ts';
import { changed, objectKeyOf, uidOf } from '../objects.ts';
import { endPodNow } from '../simulated-cluster.ts';
import { type JobFailure, type KubernetesState, removePod } from '../state.ts';
import { type CreatePod, controllerReference, type OwnedPods, type PodOwner } from './controller-pods.ts';

/** Kubernetes's defaults. */
const BACKOFF_LIMIT = 6;
const FIRST_BACKOFF_MS = 10 * SECOND_MS;
const MAX_BACKOFF_MS = 10 * MINUTE_MS;

/**
 * Adds a Job, also while a simulation runs. Its pods are reported for the controller of the Job, or for the Job itself. With
 * `ttlSecondsAfterFinished: 0`, nothing of it stays after it has finished.
 */
export function addJob(state: KubernetesState, job: Job): void {
  writeJob(state, objectKeyOf(job), job);
}

/** Deletes a Job and its pods. *Units:* the key is `namespace/name`. */
export function removeJob(state: KubernetesState, key: string): void {
  if (state.jobs.has(key)) writeJob(state, key, undefined);
}

function writeJob(state: KubernetesState, key: string, job: Job | undefined): void {
  if (job === undefined) state.jobs.delete(key);
  else state.jobs.set(key, job);
  state.changedJobs.add(key);
  changed(state);
}

export function isFinished({ status }: Job): boolean {
  return (status?.conditions ?? []).some(({ type }) => type === 'Complete' || type === 'Failed');
}

/** What the Job controller has counted. A pod is counted once, so finished pods may be deleted afterwards. */
interface Progress {
  readonly job: Job;
  readonly startedMs: number;
  /** The active pods by UID, each with its index. */
  readonly active: Map<string, number>;
  readonly doneIndexes: Set<number>;
  succeeded: number;
  failed: number;
  failuresSinceSuccess: number;
  retryAtMs: number;
  /** The last requested reconcile after a back-off. */
  wakeAtMs: number;
}

interface JobWorld {
  readonly state: KubernetesState;
  readonly timetable: Timetable;
  readonly create: CreatePod;
  readonly pods: OwnedPods;
}

export interface JobController {
  /** *Cost:* O(changed Jobs, and their pods). */
  reconcile(changedOwners: ReadonlySet<string>): void;
}

export function jobController(world: JobWorld): JobController {
  const { state, pods } = world;
  const known = new Map<string, Progress>();
  const keys = new Map<string, string>();
  const forget = (key: string, { job }: Progress): void => {
    known.delete(key);
    keys.delete(jobUid(job));
    for (const pod of pods.of(jobUid(job))) removeNow(world, pod);
  };
  const begin = (key: string, job: Job): Progress => {
    const progress = startOf(world, job);
    known.set(key, progress);
    keys.set(jobUid(job), key);
    return progress;
  };
  const reconcileKey = (key: string): void => {
    const job = state.jobs.get(key);
    const before = known.get(key);
    if (before !== undefined && before.job.metadata !== job?.metadata) forget(key, before);
    if (job === undefined || job.spec.suspend === true || isFinished(job)) return;
    reconcileJob(world, known.get(key) ?? begin(key, job), pods.of(jobUid(job)));
  };
  return {
    reconcile(changedOwners) {
      for (const owner of changedOwners) {
        const key = keys.get(owner);
        if (key !== undefined) state.changedJobs.add(key);
      }
      const due = [...state.changedJobs];
      state.changedJobs.clear();
      for (const key of due) reconcileKey(key);
    },
  };
}

function startOf(world: JobWorld, job: Job): Progress {
  const nowMs = world.timetable.now();
  const { activeDeadlineSeconds } = job.spec;
  if (activeDeadlineSeconds !== undefined) wakeAfter(world, objectKeyOf(job), activeDeadlineSeconds * SECOND_MS);
  return {
    job,
    startedMs: nowMs,
    active: new Map(),
    doneIndexes: new Set(),
    succeeded: 0,
    failed: 0,
    failuresSinceSuccess: 0,
    retryAtMs: nowMs,
    wakeAtMs: nowMs,
  };
}

function reconcileJob(world: JobWorld, progress: Progress, pods: readonly Pod[]): void {
  const { job, startedMs } = progress;
  const { activeDeadlineSeconds = Infinity, backoffLimit = BACKOFF_LIMIT } = job.spec;
  const outcome = countEnded(world, progress, pods);
  const isLate = world.timetable.now() >= startedMs + activeDeadlineSeconds * SECOND_MS;
  if (outcome === 'failed') return finish(world, progress, 'PodFailurePolicy');
  if (progress.failed > backoffLimit) return finish(world, progress, 'BackoffLimitExceeded');
  if (isLate) return finish(world, progress, 'DeadlineExceeded');
  if (isComplete(progress)) return finish(world, progress, 'Complete');
  createMissing(world, progress, pods);
}

/** Counts the pods that have succeeded or ended otherwise since the last time. *Shape:* `failed` if a rule of the Job ends it. */
function countEnded({ timetable }: JobWorld, progress: Progress, pods: readonly Pod[]): 'failed' | undefined {
  const present = new Map(pods.map((pod) => [pod.metadata.uid, pod]));
  const action = actionOnDisruption(progress.job);
  for (const [uid, index] of progress.active) {
    const pod = present.get(uid);
    if (pod !== undefined && isActive(pod)) continue;
    progress.active.delete(uid);
    if (pod?.status?.phase === 'Succeeded') {
      progress.succeeded += 1;
      progress.doneIndexes.add(index);
      progress.failuresSinceSuccess = 0;
    } else if (action === 'FailJob') return 'failed';
    else if (action !== 'Ignore') {
      progress.failed += 1;
      progress.failuresSinceSuccess += 1;
      const backoffMs = FIRST_BACKOFF_MS * 2 ** (progress.failuresSinceSuccess - 1);
      progress.retryAtMs = timetable.now() + Math.min(backoffMs, MAX_BACKOFF_MS);
    }
  }
  return undefined;
}

/** What the Job's podFailurePolicy does if a pod is evicted or deleted, the only failures of pods in a simulation. */
function actionOnDisruption({ spec }: Job): string {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const found = rules.find(({ onPodConditions = [] }) =>
    onPodConditions.some(({ type, status = 'True' }) => type === 'DisruptionTarget' && status === 'True'),
  );
  return found?.action ?? 'Count';
}

function isComplete({ job, succeeded, active }: Progress): boolean {
  const { completions } = job.spec;
  return completions === undefined && job.spec.parallelism !== undefined
    ? succeeded > 0 && active.size === 0
    : succeeded >= (completions ?? 1);
}

function wantedPods({ job, succeeded, active }: Progress): number {
  const { completions, parallelism } = job.spec;
  if (completions === undefined && parallelism !== undefined) return succeeded > 0 ? active.size : parallelism;
  return Math.min(parallelism ?? 1, (completions ?? 1) - succeeded);
}

function createMissing(world: JobWorld, progress: Progress, pods: readonly Pod[]): void {
  const { job, active, retryAtMs, wakeAtMs } = progress;
  const nowMs = world.timetable.now();
  const missing = wantedPods(progress) - active.size - (replacesOnlyEnded(job) ? ending(pods) : 0);
  if (missing <= 0) return;
  if (nowMs < retryAtMs) {
    if (wakeAtMs < retryAtMs) wakeAfter(world, objectKeyOf(job), retryAtMs - nowMs);
    progress.wakeAtMs = retryAtMs;
    return;
  }
  const owner = ownerOf(job);
  for (const index of nextIndexes(progress, missing)) {
    const pod = world.create(owner, job.spec.template, identityOf(job, index));
    active.set(pod.metadata.uid ?? '', index);
  }
}

/** Whether the Job replaces a pod only after it has ended. A podFailurePolicy includes this. */
function replacesOnlyEnded({ spec }: Job): boolean {
  return spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;
}

function ending(pods: readonly Pod[]): number {
  return pods.filter((pod) => !isActive(pod) && !isTerminal(pod)).length;
}

/** The lowest indexes without an active or succeeded pod; zeros for a Job without indexes. */
function nextIndexes({ job, active, doneIndexes }: Progress, count: number): readonly number[] {
  const found: number[] = [];
  if (job.spec.completionMode !== 'Indexed') return Array.from({ length: count }, () => 0);
  const taken = new Set([...active.values(), ...doneIndexes]);
  for (let index = 0; found.length < count; index += 1) if (!taken.has(index)) found.push(index);
  return found;
}

const INDEX = 'batch.kubernetes.io/job-completion-index';

function identityOf(
  job: Job,
  index: number,
): { readonly labels: Record<string, string>; readonly annotations?: Record<string, string> } {
  const { name } = job.metadata;
  const labels = { 'batch.kubernetes.io/job-name': name, 'job-name': name };
  if (job.spec.completionMode !== 'Indexed') return { labels };
  return { labels: { ...labels, [INDEX]: String(index) }, annotations: { [INDEX]: String(index) } };
}

function ownerOf(job: Job): PodOwner {
  const { kind, name } = controllerOf(job) ?? { kind: 'Job', name: job.metadata.name };
  const namespace = namespaceOf(job);
  return {
    reference: controllerReference('batch/v1', 'Job', { name: job.metadata.name, uid: jobUid(job) }),
    namespace,
    workload: `${kind} ${namespace}/${name}`,
  };
}

function jobUid(job: Job): string {
  return uidOf('Job', job);
}

/** Ends the Job: its active pods are deleted, and after `ttlSecondsAfterFinished` the Job itself. */
function finish(world: JobWorld, progress: Progress, outcome: 'Complete' | JobFailure['reason']): void {
  const { state, timetable, pods } = world;
  const { job, startedMs, succeeded, failed } = progress;
  const key = objectKeyOf(job);
  const lastTransitionTime = formatTime(timetable.now());
  const status = {
    startTime: formatTime(startedMs),
    ...(outcome === 'Complete' && { completionTime: lastTransitionTime }),
    succeeded,
    failed,
    conditions: [
      outcome === 'Complete'
        ? { type: 'Complete', status: 'True' as const, lastTransitionTime }
        : { type: 'Failed', status: 'True' as const, reason: outcome, lastTransitionTime },
    ],
  };
  writeJob(state, key, { ...job, status });
  if (outcome !== 'Complete') {
    const { workload } = ownerOf(job);
    state.onJobFailed({ job: key, workload, reason: outcome, podsSucceeded: succeeded, podsFailed: failed });
  }
  progress.active.clear();
  for (const pod of pods.of(jobUid(job))) if (isActive(pod)) endPodNow(state, pod, timetable);
  const { ttlSecondsAfterFinished } = job.spec;
  if (ttlSecondsAfterFinished === undefined) return;
  timetable.after(ttlSecondsAfterFinished * SECOND_MS, () => {
    if (state.jobs.get(key)?.status === status) removeJob(state, key);
  });
}

function removeNow({ state, timetable }: JobWorld, pod: Pod): void {
  if (isTerminal(pod)) removePod(state, pod);
  else endPodNow(state, pod, timetable);
}

/** Reconciles the Job after that time, also if nothing changes until then. */
function wakeAfter({ state, timetable }: JobWorld, key: string, delayMs: number): void {
  timetable.after(delayMs, () => {
    state.changedJobs.add(key);
    state.onChange();
  });
}
