import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { isProfileUsed } from '../../../../lib/providers/aws/iam/profile-use.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);

test('a profile is used as long as an instance has it that is not terminated', async () => {
  ec2.on(DescribeInstancesCommand).resolves({ Reservations: [{ Instances: [{ InstanceId: 'i-1' }] }] });
  expect(await isProfileUsed(client, 'arn:one')).toBe(true);
  ec2.on(DescribeInstancesCommand).resolves({ Reservations: [] });
  expect(await isProfileUsed(client, 'arn:one')).toBe(false);
  const filters = ec2.commandCalls(DescribeInstancesCommand)[0]?.args[0].input.Filters;
  expect(filters?.[0]).toEqual({ Name: 'iam-instance-profile.arn', Values: ['arn:one'] });
  expect(filters?.[1]?.Values).not.toContain('terminated');
});
