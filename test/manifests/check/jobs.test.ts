import { expect, test } from 'vitest';
import { readManifests } from '../../../lib/manifests/read/read-manifests.ts';
import { type Case, expectProblems } from './expect-problems.ts';
import { CRON_JOB, edit, JOB, join, POD } from './texts.ts';

const job = (from: string, to: string): string => edit(JOB, from, to);
const readText = (text: string): ReturnType<typeof readManifests> => readManifests([{ file: 'a.yaml', text }]);
const TEMPLATE = 'spec.template';

const BROKEN: readonly Case[] = [
  [job('completions: 10', 'completion: 10'), 6, 'spec.completion', 'did you mean completions?'],
  [job('completions: 10', 'completions: -1'), 6, 'spec.completions', 'write a whole number of 0 or more'],
  [job('completions: 10', 'completionMode: Indexed'), 5, 'spec.completions', 'completionMode: Indexed requires it'],
  [job('completions: 10', 'completionMode: Indxed'), 6, 'spec.completionMode', 'did you mean Indexed?'],
  [
    job('      restartPolicy: Never\n', ''),
    11,
    `${TEMPLATE}.spec.restartPolicy`,
    'is missing; write OnFailure or Never',
  ],
  [
    job('restartPolicy: Never', 'restartPolicy: Always'),
    12,
    `${TEMPLATE}.spec.restartPolicy`,
    '"Always" is not allowed in a Job; write OnFailure or Never',
  ],
  [
    job('"10m"', '"ten"'),
    10,
    `${TEMPLATE}.metadata.annotations["kerf.dev/simulated-duration"]`,
    '"ten" is not a duration; write a duration such as 90s, 10m or 1h30m',
  ],
  [job('cpu: 500m', 'cpu: 500mm'), 15, `${TEMPLATE}.spec.containers[0].resources.requests.cpu`, 'write a quantity'],
];

expectProblems('a broken Job is refused', BROKEN);

const cron = (from: string, to: string): string => edit(CRON_JOB, from, to);

expectProblems('a broken CronJob is refused', [
  [cron('0 2 * * *', '0 26 * * *'), 6, 'spec.schedule', '"0 26 * * *" is not a schedule; write five fields'],
  [cron('0 2 * * *', 'TZ=Europe/Paris 0 2 * * *'), 6, 'spec.schedule', 'has a time zone; write spec.timeZone'],
  [cron('Europe/Paris', 'Paris'), 7, 'spec.timeZone', '"Paris" is not a time zone; write an IANA name'],
  [cron('Forbid', 'Forbit'), 8, 'spec.concurrencyPolicy', 'did you mean Forbid?'],
  [
    cron('restartPolicy: Never', 'restartPolicy: Always'),
    16,
    'spec.jobTemplate.spec.template.spec.restartPolicy',
    'write OnFailure or Never',
  ],
]);

test('a CronJob is read', () => {
  const { manifests, problems } = readText(CRON_JOB);
  expect(problems).toEqual([]);
  expect(manifests.cronJobs[0]?.spec).toMatchObject({ schedule: '0 2 * * *', timeZone: 'Europe/Paris' });
  expect(manifests.ignored).toEqual([]);
});

test('a Job is read with all that a simulation needs', () => {
  const { manifests, problems } = readText(JOB);
  expect(problems).toEqual([]);
  expect(manifests.jobs[0]).toMatchObject({
    metadata: { name: 'resize', namespace: 'default' },
    spec: { completions: 10 },
  });
  expect(manifests.ignored).toEqual([]);
});

test('a Job without the annotation is simulated, with a note on how long its pods run', () => {
  const { manifests } = readText(job('kerf.dev/simulated-duration: "10m"', 'team: web'));
  expect(manifests.jobs).toHaveLength(1);
  expect(manifests.ignored[0]).toMatchObject({ kind: 'Job', name: 'resize' });
  expect(manifests.ignored[0]?.note).toMatch(/^each pod runs for 1m; the annotation kerf.dev\/simulated-duration /);
});

test('Helm hooks are left out by name', () => {
  const hook = 'annotations: {helm.sh/hook: post-install}';
  const { manifests } = readText(
    join(job('name: resize', `name: resize\n  ${hook}`), edit(POD, 'name: job', `name: job\n  ${hook}`)),
  );
  expect(manifests).toMatchObject({ jobs: [], pods: [] });
  expect(manifests.ignored.map(({ kind, name, note }) => `${kind}/${name}: ${note}`)).toEqual([
    'Job/resize: left out: a Helm hook, which runs only while Helm installs, upgrades or tests',
    'Pod/job: left out: a Helm hook, which runs only while Helm installs, upgrades or tests',
  ]);
});
