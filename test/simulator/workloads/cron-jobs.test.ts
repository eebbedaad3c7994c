import { describe, expect, test } from 'vitest';
import { aCronJob, aJob, aJobTemplate } from '../../builders/cluster-manifests.ts';
import { type Played, play } from './played.ts';

/** The simulation starts at midnight in UTC, on a Thursday: 2026-01-01. */
const FIRST_MINUTE = 29_453_760;

function jobs({ state }: Played): readonly string[] {
  return [...state.jobs.keys()].map((key) => key.replace(/\d+$/, (minute) => String(Number(minute) - FIRST_MINUTE)));
}

/** The times at which pods were created. *Units:* minutes after the start. */
function starts(played: Played): readonly number[] {
  return played.times('pod-pending').map((seconds) => Math.round(seconds / 6) / 10);
}

const long = { spec: { ...aJob('long').spec, template: aJobTemplate('25m') } };

describe('a CronJob', () => {
  test('creates a Job at each time of its schedule; its pods are reported for the CronJob', async () => {
    const played = play({ cronJobs: [aCronJob('nightly', '*/20 * * * *')] });
    await played.to(68);
    expect(starts(played)).toEqual([20, 40, 60]);
    expect(jobs(played)).toEqual(['default/nightly-20', 'default/nightly-40', 'default/nightly-60']);
    expect(new Set(played.entries('pod-completed').map(({ workload }) => workload))).toEqual(
      new Set(['CronJob default/nightly']),
    );
  });

  test('follows its time zone', async () => {
    const played = play({ cronJobs: [aCronJob('nightly', '0 2 * * *', { timeZone: 'Europe/Paris' })] });
    await played.to(120);
    expect(starts(played)).toEqual([60]);
  });

  test('does nothing while it is suspended', async () => {
    const played = play({ cronJobs: [aCronJob('nightly', '*/20 * * * *', { suspend: true })] });
    await played.to(65);
    expect(starts(played)).toEqual([]);
  });

  test('keeps the last successful Jobs of its history', async () => {
    const cronJobs = [aCronJob('nightly', '*/20 * * * *', { successfulJobsHistoryLimit: 1 })];
    const played = play({ cronJobs });
    await played.to(75);
    expect(jobs(played)).toEqual(['default/nightly-60']);
  });
});

describe('if a Job of a CronJob is still active at the next time', () => {
  test('both run with Allow', async () => {
    const played = play({ cronJobs: [aCronJob('nightly', '*/20 * * * *', { jobTemplate: long })] });
    await played.to(44);
    expect(played.pods('Running')).toHaveLength(2);
  });

  test('the next one starts late with Forbid, when the first has finished', async () => {
    const cronJobs = [aCronJob('nightly', '*/20 * * * *', { jobTemplate: long, concurrencyPolicy: 'Forbid' })];
    const played = play({ cronJobs });
    await played.to(59);
    const [first, second = 0, ...more] = starts(played);
    expect([first, more]).toEqual([20, []]);
    expect(second * 60).toBeCloseTo(played.times('pod-completed')[0] ?? 0, -1);
    expect(jobs(played)).toEqual(['default/nightly-20', 'default/nightly-40']);
  });

  test('the next one is skipped with Forbid, if it would start after its deadline', async () => {
    const cronJobs = [
      aCronJob('nightly', '*/20 * * * *', {
        jobTemplate: long,
        concurrencyPolicy: 'Forbid',
        startingDeadlineSeconds: 60,
      }),
    ];
    const played = play({ cronJobs });
    await played.to(65);
    expect(starts(played)).toEqual([20, 60]);
  });

  test('the first one is deleted with Replace', async () => {
    const cronJobs = [aCronJob('nightly', '*/20 * * * *', { jobTemplate: long, concurrencyPolicy: 'Replace' })];
    const played = play({ cronJobs });
    await played.to(44);
    expect(starts(played)).toEqual([20, 40]);
    expect(played.pods('Running')).toHaveLength(1);
    expect(jobs(played)).toEqual(['default/nightly-40']);
  });
});
