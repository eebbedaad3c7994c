import { DescribeInstancesCommand, EC2Client, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';
import { describeInstance, describeInstances, terminate } from '../../../lib/providers/aws/instances.ts';
import { awsError } from './aws-error.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
const reader = { client, onDemandUsdPerHour: new Map([['m5.large', 0.096]]) };

const TAGS = [
  { Key: 'kubernetes.io/cluster/demo', Value: 'owned' },
  { Key: 'karpenter.sh/nodeclaim', Value: 'general-a' },
];

function anInstance(id: string, over: object = {}) {
  return {
    InstanceId: id,
    InstanceType: 'm5.large' as const,
    State: { Name: 'running' as const },
    Placement: { AvailabilityZone: 'us-east-1a' },
    ImageId: 'ami-1',
    Tags: TAGS,
    ...over,
  };
}

const answer = (...instances: readonly object[]) => ({ Reservations: [{ Instances: [...instances] }] });

beforeEach(() => {
  ec2.reset();
  ec2.on(TerminateInstancesCommand).resolves({});
});

test('a list asks for the tags of ownership and for all states but terminated', async () => {
  ec2.on(DescribeInstancesCommand).resolves(answer(anInstance('i-1')));
  await describeInstances(reader, 'demo');
  expect(ec2.commandCalls(DescribeInstancesCommand)[0]?.args[0].input.Filters).toEqual([
    { Name: 'tag:kubernetes.io/cluster/demo', Values: ['owned'] },
    { Name: 'tag-key', Values: ['karpenter.sh/nodeclaim'] },
    { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] },
  ]);
});

test('pages are followed, and the list is by id', async () => {
  ec2
    .on(DescribeInstancesCommand)
    .resolvesOnce({ ...answer(anInstance('i-2', { InstanceLifecycle: 'spot' })), NextToken: 'more' })
    .resolves(answer(anInstance('i-1')));
  const found = await describeInstances(reader, 'demo');
  expect(found.map(({ id, capacityType }) => [id, capacityType])).toEqual([
    ['i-1', 'on-demand'],
    ['i-2', 'spot'],
  ]);
  expect(ec2.commandCalls(DescribeInstancesCommand)[1]?.args[0].input.NextToken).toBe('more');
});

test('pages that lead in a circle, and pages without an end, are left', async () => {
  ec2.on(DescribeInstancesCommand).resolves({ ...answer(), NextToken: 'again' });
  await expect(describeInstances(reader, 'demo')).rejects.toThrow(/leads back/);
  let page = 0;
  ec2.on(DescribeInstancesCommand).callsFake(() => {
    page += 1;
    return { ...answer(), NextToken: `page-${page}` };
  });
  await expect(describeInstances(reader, 'demo')).rejects.toBeInstanceOf(UnreachableError);
  expect(page).toBeLessThan(1_000);
});

test.each([
  ['of another cluster', { Tags: [{ Key: 'kubernetes.io/cluster/other', Value: 'owned' }, TAGS[1]] }],
  ['shared, not owned', { Tags: [{ Key: 'kubernetes.io/cluster/demo', Value: 'shared' }, TAGS[1]] }],
  ['of no claim', { Tags: [TAGS[0]] }],
  ['without tags', { Tags: [] }],
  ['terminated', { State: { Name: 'terminated' } }],
])('an instance %s is neither seen nor terminated', async (_, over) => {
  ec2.on(DescribeInstancesCommand).resolves(answer(anInstance('i-1', over)));
  expect(await describeInstance(reader, 'demo', 'i-1')).toBeUndefined();
  expect(await describeInstances(reader, 'demo')).toEqual([]);
  await terminate(reader, 'demo', 'i-1');
  expect(ec2.commandCalls(TerminateInstancesCommand)).toHaveLength(0);
});

test('an answer about another instance than the one asked for is not believed', async () => {
  ec2.on(DescribeInstancesCommand).resolves(answer(anInstance('i-2')));
  await terminate(reader, 'demo', 'i-1');
  expect(ec2.commandCalls(TerminateInstancesCommand)).toHaveLength(0);
});

test('an instance that is on its way out is not terminated again', async () => {
  ec2.on(DescribeInstancesCommand).resolves(answer(anInstance('i-1', { State: { Name: 'shutting-down' } })));
  await terminate(reader, 'demo', 'i-1');
  expect(ec2.commandCalls(TerminateInstancesCommand)).toHaveLength(0);
});

test('an unknown instance is gone, whichever call finds out', async () => {
  ec2.on(DescribeInstancesCommand).rejects(awsError('InvalidInstanceID.NotFound', 400));
  expect(await describeInstance(reader, 'demo', 'i-1')).toBeUndefined();
  ec2.on(DescribeInstancesCommand).resolves(answer(anInstance('i-1')));
  ec2.on(TerminateInstancesCommand).rejects(awsError('InvalidInstanceID.NotFound', 400));
  await terminate(reader, 'demo', 'i-1');
  expect(ec2.commandCalls(TerminateInstancesCommand)).toHaveLength(1);
});

test('a refusal and a failure are told apart', async () => {
  ec2.on(DescribeInstancesCommand).resolves(answer(anInstance('i-1')));
  ec2.on(TerminateInstancesCommand).rejects(awsError('UnauthorizedOperation', 403));
  await expect(terminate(reader, 'demo', 'i-1')).rejects.toBeInstanceOf(RefusedError);
  ec2.on(TerminateInstancesCommand).rejects(awsError('ServiceUnavailable', 503));
  await expect(terminate(reader, 'demo', 'i-1')).rejects.toBeInstanceOf(UnreachableError);
});
