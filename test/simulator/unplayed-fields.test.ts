import { expect, test } from 'vitest';
import { unplayedFields } from '../../lib/simulator/unplayed-fields.ts';
import { aCronJob, aDeployment, aJob, aStatefulSet, someManifests } from '../builders/cluster-manifests.ts';

const lines = (over: Parameters<typeof someManifests>[0]): readonly string[] =>
  unplayedFields(someManifests(over)).map(({ subject, text }) => `${subject}: ${text}`);

const autoscaler = (name: string) => ({
  metadata: { name, namespace: 'default' },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
});

test('workloads with the fields that are simulated have no notes', () => {
  expect(lines({ jobs: [aJob('report')], statefulSets: [aStatefulSet('db')] })).toEqual([]);
});

test('fields of Jobs and CronJobs that are not simulated are named', () => {
  const job = aJob('report', { backoffLimitPerIndex: 0 });
  const cronJob = aCronJob('nightly', '0 0 * * *');
  const { spec: limited } = aJob('nightly', { backoffLimitPerIndex: 1 });
  const spec = { ...cronJob.spec, jobTemplate: { spec: limited } };
  expect(lines({ jobs: [job], cronJobs: [{ ...cronJob, spec }] })).toEqual([
    'Job default/report: its backoffLimitPerIndex is not simulated',
    'CronJob default/nightly: its backoffLimitPerIndex is not simulated',
  ]);
});

test('claims of a StatefulSet that are deleted when it is scaled are named', () => {
  const deletes = aStatefulSet('db', { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } });
  const keeps = aStatefulSet('kept', { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain' } });
  expect(lines({ statefulSets: [deletes, keeps] })).toEqual([
    'StatefulSet default/db: its persistentVolumeClaimRetentionPolicy is not simulated',
  ]);
});

test('another scheduler, and pods with a deadline, are named', () => {
  const web = aDeployment('web', 1);
  const ignored = { schedulerName: 'other', activeDeadlineSeconds: 60 };
  const pod = { ...web.spec.template.spec, ...ignored };
  const deployments = [{ ...web, spec: { ...web.spec, template: { ...web.spec.template, spec: pod } } }];
  expect(lines({ deployments })).toEqual([
    'Deployment default/web: its activeDeadlineSeconds of pods is not simulated',
    'Deployment default/web: its schedulerName is not simulated: default-scheduler binds its pods',
  ]);
});

test('two HorizontalPodAutoscalers of one workload are named', () => {
  expect(lines({ horizontalPodAutoscalers: [autoscaler('a'), autoscaler('b')] })).toEqual([
    'Deployment default/web: 2 HorizontalPodAutoscalers scale it: as in Kubernetes (AmbiguousSelector), none changes it by its usage',
  ]);
});
