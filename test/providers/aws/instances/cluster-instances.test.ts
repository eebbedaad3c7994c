import { CreateTagsCommand, DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { RefusedError } from '../../../../lib/ports/errors.ts';
import { clusterInstances, tagAdoptedInstance } from '../../../../lib/providers/aws/instances/cluster-instances.ts';
import { awsError } from '../aws-error.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);

beforeEach(() => {
  ec2.reset();
});

test('C55: instances of NodePools are listed, also without a NodeClaim tag', async () => {
  const Tags = [
    { Key: 'kubernetes.io/cluster/demo', Value: 'owned' },
    { Key: 'karpenter.sh/nodepool', Value: 'general' },
  ];
  const instance = { InstanceId: 'i-1', InstanceType: 'm5.large' as const, Tags, LaunchTime: new Date(5) };
  ec2.on(DescribeInstancesCommand).resolves({ Reservations: [{ Instances: [instance] }] });
  expect(await clusterInstances(client, 'demo')).toMatchObject([
    { id: 'i-1', nodeClaim: '', nodePool: 'general', launchedAtMs: 5, tags: { 'karpenter.sh/nodepool': 'general' } },
  ]);
  expect(ec2.commandCalls(DescribeInstancesCommand)[0]?.args[0].input.Filters).toEqual([
    { Name: 'tag:kubernetes.io/cluster/demo', Values: ['owned'] },
    { Name: 'tag-key', Values: ['karpenter.sh/nodepool'] },
    { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] },
  ]);
});

test('a missing permission to add tags is reported', async () => {
  ec2.on(CreateTagsCommand).rejects(awsError('UnauthorizedOperation', 403));
  await expect(tagAdoptedInstance(client, 'i-1', { a: 'b' })).rejects.toBeInstanceOf(RefusedError);
});
