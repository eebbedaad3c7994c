import {
  DeleteLaunchTemplateCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { deleteLaunchTemplates, isProfileUsed } from '../../../lib/providers/aws/release-node-class.ts';
import { awsError } from './aws-error.ts';

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

test('A3.30: the templates of a class are found by its tags, and go; one that is gone already is success', async () => {
  ec2
    .on(DescribeLaunchTemplatesCommand)
    .resolvesOnce({ LaunchTemplates: [template('lt-1', 'demo')], NextToken: 'more' })
    .resolves({ LaunchTemplates: [template('lt-2', 'demo'), template('lt-3', 'other')] });
  ec2
    .on(DeleteLaunchTemplateCommand, { LaunchTemplateId: 'lt-2' })
    .rejects(awsError('InvalidLaunchTemplateId.NotFound', 400));
  expect(await deleteLaunchTemplates(client, 'demo', 'default')).toEqual(['kerf-lt-1', 'kerf-lt-2']);
  expect(ec2.commandCalls(DescribeLaunchTemplatesCommand)[0]?.args[0].input.Filters).toEqual([
    { Name: 'tag:eks:eks-cluster-name', Values: ['demo'] },
    { Name: 'tag:karpenter.k8s.aws/ec2nodeclass', Values: ['default'] },
  ]);
});

test('a profile is used as long as an instance has it that is not terminated', async () => {
  ec2.on(DescribeInstancesCommand).resolves({ Reservations: [{ Instances: [{ InstanceId: 'i-1' }] }] });
  expect(await isProfileUsed(client, 'arn:one')).toBe(true);
  ec2.on(DescribeInstancesCommand).resolves({ Reservations: [] });
  expect(await isProfileUsed(client, 'arn:one')).toBe(false);
  const filters = ec2.commandCalls(DescribeInstancesCommand)[0]?.args[0].input.Filters;
  expect(filters?.[0]).toEqual({ Name: 'iam-instance-profile.arn', Values: ['arn:one'] });
  expect(filters?.[1]?.Values).not.toContain('terminated');
});
