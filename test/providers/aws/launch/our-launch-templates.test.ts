import {
  CreateLaunchTemplateCommand,
  DeleteLaunchTemplateCommand,
  DescribeLaunchTemplatesCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../../lib/apis/formats/time.ts';
import { LaunchTemplates } from '../../../../lib/providers/aws/launch/launch-template.ts';
import {
  deleteLaunchTemplates,
  OldLaunchTemplates,
} from '../../../../lib/providers/aws/launch/our-launch-templates.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { awsError } from '../aws-error.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);

beforeEach(() => {
  ec2.reset();
});

const template = (id: string, cluster: string) => ({
  LaunchTemplateId: id,
  LaunchTemplateName: `kerf-${id}`,
  Tags: [{ Key: 'eks:eks-cluster-name', Value: cluster }],
});

test('A3.30: the templates of a class are found by tags and deleted; a missing one is a success', async () => {
  ec2
    .on(DescribeLaunchTemplatesCommand)
    .resolvesOnce({ LaunchTemplates: [template('lt-1', 'demo')], NextToken: 'more' })
    .resolves({ LaunchTemplates: [template('lt-2', 'demo'), template('lt-3', 'other')] });
  ec2
    .on(DeleteLaunchTemplateCommand, { LaunchTemplateId: 'lt-2' })
    .rejects(awsError('InvalidLaunchTemplateId.NotFound', 400));
  const clock = { now: () => NOW_MS };
  await deleteLaunchTemplates({ client, templates: new LaunchTemplates(client, clock) }, 'demo', 'default');
  const deleted = ec2.commandCalls(DeleteLaunchTemplateCommand).map((call) => call.args[0].input.LaunchTemplateId);
  expect(deleted).toEqual(['lt-1', 'lt-2']);
  expect(ec2.commandCalls(DescribeLaunchTemplatesCommand)[0]?.args[0].input.Filters).toEqual([
    { Name: 'tag:eks:eks-cluster-name', Values: ['demo'] },
    { Name: 'tag:karpenter.k8s.aws/ec2nodeclass', Values: ['default'] },
  ]);
});

describe('old launch templates (C57)', () => {
  const aged = (id: string, days: number, cluster = 'demo') => ({
    ...template(id, cluster),
    CreateTime: new Date(NOW_MS - days * DAY_MS),
  });
  const deleted = () =>
    ec2.commandCalls(DeleteLaunchTemplateCommand).map((call) => call.args[0].input.LaunchTemplateId);
  let nowMs = NOW_MS;
  const clock = { now: () => nowMs };
  const sweep = (templates = new LaunchTemplates(client, clock)) =>
    new OldLaunchTemplates({ client, templates }, clock);

  beforeEach(() => {
    nowMs = NOW_MS;
    ec2.on(DeleteLaunchTemplateCommand).resolves({});
  });

  test('those that are a day old are deleted, but no newer ones, none of other owners, and none with another name', async () => {
    const foreign = { ...aged('lt-5', 90), LaunchTemplateName: 'karpenter.k8s.aws/123' };
    ec2.on(DescribeLaunchTemplatesCommand).resolves({
      LaunchTemplates: [aged('lt-1', 1.1), aged('lt-2', 0.9), aged('lt-3', 90, 'other'), aged('lt-4', 60), foreign],
    });
    await sweep().remove('demo');
    expect(deleted()).toEqual(['lt-4', 'lt-1']);
  });

  test('those that this process has used within a day are kept', async () => {
    ec2.on(CreateLaunchTemplateCommand).resolves({});
    const templates = new LaunchTemplates(client, clock);
    await templates.ensure({ name: 'kerf-lt-1', data: {}, tags: {} });
    ec2.on(DescribeLaunchTemplatesCommand).resolves({ LaunchTemplates: [aged('lt-1', 60), aged('lt-2', 50)] });
    const old = sweep(templates);
    await old.remove('demo');
    expect(deleted()).toEqual(['lt-2']);
    nowMs += 23 * HOUR_MS;
    await templates.ensure({ name: 'kerf-lt-1', data: {}, tags: {} });
    ec2.on(DescribeLaunchTemplatesCommand).resolves({ LaunchTemplates: [aged('lt-1', 60)] });
    nowMs += DAY_MS;
    await old.remove('demo');
    expect(deleted()).toEqual(['lt-2']);
    nowMs += HOUR_MS;
    await old.remove('demo');
    expect(deleted()).toEqual(['lt-2', 'lt-1']);
    await templates.ensure({ name: 'kerf-lt-1', data: {}, tags: {} });
    expect(ec2.commandCalls(CreateLaunchTemplateCommand)).toHaveLength(2);
  });

  const refuse = (id: string) =>
    ec2.on(DeleteLaunchTemplateCommand, { LaunchTemplateId: id }).rejects(awsError('UnauthorizedOperation', 403));

  test('a template that EC2 refuses to delete does not keep newer ones', async () => {
    ec2.on(DescribeLaunchTemplatesCommand).resolves({ LaunchTemplates: [aged('lt-1', 60), aged('lt-2', 50)] });
    refuse('lt-1');
    const templates = sweep();
    await expect(templates.remove('demo')).rejects.toThrow('delete launch template lt-1');
    expect(deleted()).toEqual(['lt-1', 'lt-2']);
    await templates.remove('demo');
    expect(deleted()).toHaveLength(2);
  });

  test('twenty templates that EC2 refuses to delete do not keep newer ones', async () => {
    const all = Array.from({ length: 21 }, (_, index) => aged(`lt-${index}`, 100 - index));
    ec2.on(DescribeLaunchTemplatesCommand).resolves({ LaunchTemplates: all });
    for (const { LaunchTemplateId } of all.slice(0, 20)) refuse(LaunchTemplateId);
    const templates = sweep();
    await expect(templates.remove('demo')).rejects.toThrow('delete launch template lt-0');
    expect(deleted()).not.toContain('lt-20');
    nowMs += HOUR_MS;
    await expect(templates.remove('demo')).rejects.toThrow('delete launch template lt-0');
    expect(deleted()).toContain('lt-20');
  });

  test('a failure that may pass ends the sweep', async () => {
    ec2.on(DescribeLaunchTemplatesCommand).resolves({ LaunchTemplates: [aged('lt-1', 60), aged('lt-2', 50)] });
    ec2.on(DeleteLaunchTemplateCommand).rejects(awsError('RequestLimitExceeded', 503));
    await expect(sweep().remove('demo')).rejects.toThrow('delete launch template lt-1');
    expect(deleted()).toEqual(['lt-1']);
  });

  test('a run deletes twenty, the oldest first; the next runs delete the others, without another list', async () => {
    const all = Array.from({ length: 45 }, (_, index) => aged(`lt-${index}`, 100 - index));
    ec2.on(DescribeLaunchTemplatesCommand).resolves({ LaunchTemplates: all });
    const templates = sweep();
    const counts: number[] = [];
    for (let run = 0; run < 4; run += 1) {
      await templates.remove('demo');
      counts.push(deleted().length);
    }
    expect(counts).toEqual([20, 40, 45, 45]);
    expect(deleted()).toEqual(all.map((one) => one.LaunchTemplateId));
    expect(ec2.commandCalls(DescribeLaunchTemplatesCommand)).toHaveLength(1);
  });
});
