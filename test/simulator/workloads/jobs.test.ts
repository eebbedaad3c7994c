import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { endPod } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { addJob, removeJob } from '../../../lib/simulator/kubernetes/workloads/jobs.ts';
import { runSimulation } from '../../../lib/simulator/simulation.ts';
import { aJob, aJobTemplate, someManifests } from '../../builders/cluster-manifests.ts';
import { SMALL_CATALOGUE } from '../../controllers/life.ts';
import { type Played, play } from './played.ts';

function evict(played: Played): void {
  const [pod] = played.pods('Running');
  if (pod === undefined) throw new Error('no pod is running');
  endPod(played.state, pod, { graceMs: 30_000, nowMs: played.timetable.now() });
}

function outcome(played: Played, name = 'report'): unknown {
  const { status } = played.state.jobs.get(`default/${name}`) ?? {};
  return { ...status, conditions: status?.conditions?.map(({ type }) => type) };
}

describe('the pods of a Job', () => {
  test('run for the time of their annotation, succeed, and free their node, which is removed', async () => {
    const played = play({ jobs: [aJob('report')] });
    await played.to(30);
    const [[started = 0], [completed = 0]] = [played.times('pod-running'), played.times('pod-completed')];
    expect(completed - started).toBeCloseTo(300);
    expect(outcome(played)).toMatchObject({ succeeded: 1, failed: 0, conditions: ['Complete'] });
    expect(played.entries('pod-completed').map(({ workload }) => workload)).toEqual(['Job default/report']);
    expect(played.state.nodes.size).toBe(0);
  });

  test('run for a minute without the annotation', async () => {
    const played = play({ jobs: [aJob('report', { template: aJobTemplate(undefined) })] });
    await played.to(10);
    expect((played.times('pod-completed')[0] ?? 0) - (played.times('pod-running')[0] ?? 0)).toBeCloseTo(60);
  });

  test('stay as finished pods until the Job is deleted, and use nothing of their node', async () => {
    const played = play({
      jobs: [aJob('report', { ttlSecondsAfterFinished: 120 }), aJob('long', { template: aJobTemplate('2h') })],
    });
    await played.to(7);
    expect(played.names('Succeeded')).toHaveLength(1);
    await played.to(10);
    expect(played.names('Succeeded')).toEqual([]);
    expect([...played.state.jobs.keys()]).toEqual(['default/long']);
    expect(played.names('Running')).toHaveLength(1);
  });

  test('never exceed the parallelism, and end with the number of completions', async () => {
    const played = play({ jobs: [aJob('report', { completions: 5, parallelism: 2 })] });
    let most = 0;
    for (let minute = 1; minute <= 60; minute += 1) {
      await played.to(minute);
      most = Math.max(most, played.pods('Running').length + played.pods('Pending').length);
    }
    expect(most).toBe(2);
    expect(outcome(played)).toMatchObject({ succeeded: 5, conditions: ['Complete'] });
    expect(played.times('pod-completed')).toHaveLength(5);
  });

  test('of a work queue: the first success ends the creation of pods, and the others complete', async () => {
    const played = play({ jobs: [aJob('report', { parallelism: 3 })] });
    await played.to(30);
    expect(outcome(played)).toMatchObject({ succeeded: 3, conditions: ['Complete'] });
    expect(played.times('pod-pending')).toHaveLength(3);
  });

  test('of an Indexed Job have the lowest missing index each', async () => {
    const played = play({ jobs: [aJob('report', { completions: 3, parallelism: 2, completionMode: 'Indexed' })] });
    const indexes = (): unknown[] =>
      played.pods().map(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-completion-index']);
    await played.to(2);
    expect(indexes()).toEqual(['0', '1']);
    await played.to(9);
    expect(indexes()).toEqual(['0', '1', '2']);
  });

  test('are not created while the Job is suspended', async () => {
    const played = play({ jobs: [aJob('report', { suspend: true })] });
    await played.to(10);
    expect(played.pods()).toEqual([]);
  });
});

describe('a pod of a Job that is evicted', () => {
  test('is created again after 10 seconds, then after 20, and counts as a failure', async () => {
    const played = play({ jobs: [aJob('report')] });
    await played.to(3);
    evict(played);
    await played.to(5);
    evict(played);
    await played.to(30);
    const [, second = 0, third = 0] = played.times('pod-pending');
    expect(second - 180).toBeCloseTo(10.2, 0);
    expect(third - 300).toBeCloseTo(20.2, 0);
    expect(outcome(played)).toMatchObject({ succeeded: 1, failed: 2, conditions: ['Complete'] });
  });

  test('fails the Job beyond its backoffLimit', async () => {
    const played = play({ jobs: [aJob('report', { backoffLimit: 0, parallelism: 2, completions: 2 })] });
    await played.to(3);
    evict(played);
    await played.to(6);
    expect(outcome(played)).toMatchObject({ succeeded: 0, failed: 1, conditions: ['Failed'] });
    expect(played.pods()).toEqual([]);
    expect(played.summary('time').jobsFailed).toMatchObject([
      {
        job: 'default/report',
        workload: 'Job default/report',
        reason: 'BackoffLimitExceeded',
        podsSucceeded: 0,
        podsFailed: 1,
      },
    ]);
  });

  test('does not count where the podFailurePolicy ignores disruptions; the new one waits for its end', async () => {
    const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] as const;
    const played = play({ jobs: [aJob('report', { backoffLimit: 0, podFailurePolicy: { rules } })] });
    await played.to(3);
    evict(played);
    await played.to(30);
    expect(outcome(played)).toMatchObject({ succeeded: 1, failed: 0, conditions: ['Complete'] });
    expect(played.times('pod-pending')[1]).toBeGreaterThanOrEqual(played.times('pod-ended')[0] ?? Infinity);
  });
});

test('a Job that is active for longer than its deadline fails', async () => {
  const played = play({ jobs: [aJob('report', { activeDeadlineSeconds: 180 })] });
  await played.to(4);
  expect(outcome(played)).toMatchObject({ succeeded: 0, conditions: ['Failed'] });
  expect(played.pods()).toEqual([]);
  expect(played.summary('time').jobsFailed).toMatchObject([{ reason: 'DeadlineExceeded' }]);
  expect(Math.floor(played.summary('time').jobsFailed[0]?.atSeconds ?? 0)).toBe(180);
});

test('a Job can be added and removed while the simulation runs; its pods are reported for its controller', async () => {
  const played = play({});
  const load = { apiVersion: 'kerf.dev/v1alpha1', kind: 'Load', name: 'day', uid: 'load-day', controller: true };
  const job = aJob('one', { ttlSecondsAfterFinished: 0 });
  await played.to(1);
  addJob(played.state, { ...job, metadata: { ...job.metadata, ownerReferences: [load] } });
  addJob(played.state, aJob('two'));
  await played.to(3);
  removeJob(played.state, 'default/two');
  await played.to(20);
  expect(played.entries('pod-completed').map(({ workload }) => workload)).toEqual(['Load default/day']);
  expect(played.entries('pod-ended').map(({ workload }) => workload)).toEqual(['Job default/two']);
  expect(played.pods()).toEqual([]);
  expect(played.state.jobs.size).toBe(0);
});

test('at most 100 finished pods stay in the cluster', async () => {
  const played = play({
    jobs: [aJob('report', { completions: 130, parallelism: 130, template: aJobTemplate('1m', '10m') })],
  });
  await played.to(20);
  expect(outcome(played)).toMatchObject({ succeeded: 130 });
  expect(played.pods().length).toBeLessThanOrEqual(100);
});

test('the same seed gives the same run with Jobs', async () => {
  const input = {
    manifests: someManifests({ jobs: [aJob('report', { completions: 4, parallelism: 3 })] }),
    catalogue: SMALL_CATALOGUE,
    seed: 7,
    durationMs: 30 * MINUTE_MS,
  };
  expect(JSON.stringify(await runSimulation(input))).toBe(JSON.stringify(await runSimulation(input)));
});
