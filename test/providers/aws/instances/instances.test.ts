import { createServer } from 'node:http';
import {
  CreateTagsCommand,
  DescribeInstancesCommand,
  type DescribeInstancesCommandInput,
  EC2Client,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { NotOwnedError, RefusedError, UnreachableError } from '../../../../lib/ports/errors.ts';
import { endInstances } from '../../../../lib/providers/aws/instances/end-instances.ts';
import { describeInstances, instanceOwners } from '../../../../lib/providers/aws/instances/instances.ts';
import { tagInstance } from '../../../../lib/providers/aws/instances/tag-instance.ts';
import { awsError } from '../aws-error.ts';

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

test('a list filters by ownership tags and all states except terminated', async () => {
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

test('C78: an instance has its subnet and its security groups, if EC2 describes them', async () => {
  const SecurityGroups = [{ GroupId: 'sg-1', GroupName: 'one' }, { GroupId: 'sg-2' }];
  const described = anInstance('i-1', { SubnetId: 'subnet-a', SecurityGroups });
  ec2.on(DescribeInstancesCommand).resolves(answer(described, anInstance('i-2', { SecurityGroups: [] })));
  const [first, second] = await describeInstances(reader, 'demo');
  expect(first).toMatchObject({ subnetId: 'subnet-a', securityGroupIds: ['sg-1', 'sg-2'] });
  expect(second).not.toHaveProperty('subnetId');
  expect(second).not.toHaveProperty('securityGroupIds');
});

const RESERVED_ONLY = {
  CapacityReservationSpecification: { CapacityReservationPreference: 'capacity-reservations-only' },
};

test.each([
  { of: 'a reservation', kind: 'default', over: RESERVED_ONLY },
  { of: 'a capacity block', kind: 'capacity-block', over: { ...RESERVED_ONLY, InstanceLifecycle: 'capacity-block' } },
  {
    of: 'a reservation that may be interrupted',
    kind: 'interruptible',
    over: { ...RESERVED_ONLY, InstanceLifecycle: 'interruptible-capacity-reservation' },
  },
])('C60: an instance that was launched for $of is reserved', async ({ kind, over }) => {
  ec2.on(DescribeInstancesCommand).resolves(answer(anInstance('i-1', { CapacityReservationId: 'cr-1', ...over })));
  const [found] = await describeInstances(reader, 'demo');
  expect(found).toMatchObject({ capacityType: 'reserved', reservation: { id: 'cr-1', kind } });
});

test.each([
  { preference: 'open', over: { CapacityReservationSpecification: { CapacityReservationPreference: 'open' } } },
  { preference: 'none that EC2 shows', over: {} },
])('C60: an instance in an open reservation is on-demand; its preference is $preference', async ({ over }) => {
  ec2.on(DescribeInstancesCommand).resolves(answer(anInstance('i-1', { CapacityReservationId: 'cr-1', ...over })));
  const [found] = await describeInstances(reader, 'demo');
  expect(found).toMatchObject({ capacityType: 'on-demand' });
  expect(found).not.toHaveProperty('reservation');
});

test('circular and endless pages are an error', async () => {
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

const endOne = async (id: string) => endInstances(reader, 'demo', [id]);
const terminated = () => ec2.commandCalls(TerminateInstancesCommand).map(({ args }) => args[0].input.InstanceIds);

/** The error of EC2 for unknown IDs. */
function unknown(...ids: readonly string[]): Error {
  const error = awsError('InvalidInstanceID.NotFound', 400);
  error.message = `The instance IDs '${ids.join(', ')}' do not exist`;
  return error;
}

/** Describes all requested instances except `lost`. As in EC2, one unknown ID fails the call. */
function describeAllBut(...lost: readonly string[]): void {
  ec2.on(DescribeInstancesCommand).callsFake(({ InstanceIds = [] }: { InstanceIds?: string[] }) => {
    const missing = InstanceIds.filter((id) => lost.includes(id));
    if (missing.length > 0) throw unknown(...missing);
    return answer(...InstanceIds.map((id) => anInstance(id)));
  });
}

test.each([
  ['of another cluster', { Tags: [{ Key: 'kubernetes.io/cluster/other', Value: 'owned' }, TAGS[1]] }],
  ['shared, not owned', { Tags: [{ Key: 'kubernetes.io/cluster/demo', Value: 'shared' }, TAGS[1]] }],
  ['without a NodeClaim tag', { Tags: [TAGS[0]] }],
  ['without tags', { Tags: [] }],
])('an instance %s is marked in a list of ids, and neither listed, tagged nor terminated', async (_, over) => {
  ec2.on(DescribeInstancesCommand).resolves(answer(anInstance('i-1', over)));
  expect(await describeInstances(reader, 'demo', ['i-1'])).toMatchObject([{ id: 'i-1', untagged: true }]);
  expect(await describeInstances(reader, 'demo')).toEqual([]);
  expect((await endOne('i-1')).get('i-1')).toBeInstanceOf(NotOwnedError);
  await tagInstance(reader, { cluster: 'demo', instanceId: 'i-1', tags: { Name: 'node-1' } });
  expect(ec2.commandCalls(TerminateInstancesCommand)).toHaveLength(0);
  expect(ec2.commandCalls(CreateTagsCommand)).toHaveLength(0);
});

test('an instance without tags that ends, or has ended, is gone; the others of the call are terminated', async () => {
  const untagged = (id: string, Name: 'running' | 'shutting-down' | 'terminated') =>
    anInstance(id, { Tags: [], State: { Name } });
  const ended = [untagged('i-2', 'shutting-down'), untagged('i-3', 'terminated')];
  ec2.on(DescribeInstancesCommand).resolves(answer(untagged('i-1', 'running'), ...ended, anInstance('i-4')));
  const failed = await endInstances(reader, 'demo', ['i-1', 'i-2', 'i-3', 'i-4']);
  expect([...failed.keys()]).toEqual(['i-1']);
  expect(terminated()).toEqual([['i-4']]);
});

test('an instance that is terminated is shown as terminated, and neither tagged nor terminated', async () => {
  ec2.on(DescribeInstancesCommand).resolves(answer(anInstance('i-1', { State: { Name: 'terminated' } })));
  expect(await describeInstances(reader, 'demo', ['i-1'])).toMatchObject([{ id: 'i-1', state: 'terminated' }]);
  await endOne('i-1');
  await tagInstance(reader, { cluster: 'demo', instanceId: 'i-1', tags: { Name: 'node-1' } });
  expect(terminated()).toEqual([]);
  expect(ec2.commandCalls(CreateTagsCommand)).toHaveLength(0);
});

test('an instance that was not requested is ignored', async () => {
  ec2.on(DescribeInstancesCommand).resolves(answer(anInstance('i-2')));
  await endOne('i-1');
  expect(terminated()).toEqual([]);
});

test('an instance that is shutting down is not terminated again (C55)', async () => {
  ec2.on(DescribeInstancesCommand).resolves(answer(anInstance('i-1', { State: { Name: 'shutting-down' } })));
  await endOne('i-1');
  expect(terminated()).toEqual([]);
});

test('IDs are described 500 at a time, each once (C51)', async () => {
  describeAllBut();
  const ids = Array.from({ length: 1_200 }, (_, index) => `i-${index}`);
  expect(await describeInstances(reader, 'demo', [...ids, 'i-1'])).toHaveLength(1_200);
  const asked = ec2.commandCalls(DescribeInstancesCommand).map(({ args }) => args[0].input.InstanceIds?.length);
  expect(asked).toEqual([500, 500, 200]);
});

test('unknown IDs are removed, and the others are described again', async () => {
  describeAllBut('i-2', 'i-4');
  const found = await describeInstances(reader, 'demo', ['i-1', 'i-2', 'i-3', 'i-4']);
  expect(found.map(({ id }) => id)).toEqual(['i-1', 'i-3']);
  expect(ec2.commandCalls(DescribeInstancesCommand)).toHaveLength(2);
});

const isKnown = (id: string): boolean => id.endsWith('7');

test.each([
  ['names all of them', (missing: readonly string[]) => missing.join(', ')],
  ['names one of them', (missing: readonly string[]) => missing[0]],
  ['names none', () => 'that were requested'],
])('all instances among many unknown IDs are found if EC2 %s', async (_, named) => {
  const ids = Array.from({ length: 300 }, (__, index) => `i-${1_000 + index}`);
  let calls = 0;
  ec2.on(DescribeInstancesCommand).callsFake(({ InstanceIds, Filters }: DescribeInstancesCommandInput) => {
    calls += 1;
    const [filter] = Filters ?? [];
    const values = filter?.Name === 'instance-id' ? (filter.Values ?? []) : [];
    expect(values.length).toBeLessThanOrEqual(200);
    const asked = InstanceIds ?? values;
    const missing = asked.filter((id) => !isKnown(id));
    if (InstanceIds !== undefined && missing.length > 0)
      throw Object.assign(awsError('InvalidInstanceID.NotFound', 400), {
        message: `The instance IDs ${named(missing)} do not exist`,
      });
    return answer(...asked.filter(isKnown).map((id) => anInstance(id)));
  });
  const found = await describeInstances(reader, 'demo', ids);
  expect(found.map(({ id }) => id)).toEqual(ids.filter(isKnown));
  expect(calls).toBeLessThanOrEqual(34);
});

test('IDs that EC2 does not examine are not taken for ended instances: the read fails', async () => {
  const error = awsError('InvalidInstanceID.NotFound', 400);
  ec2.on(DescribeInstancesCommand).callsFake(({ InstanceIds }: DescribeInstancesCommandInput) => {
    if (InstanceIds !== undefined) throw Object.assign(error, { message: 'The instance IDs do not exist' });
    throw awsError('InternalError', 500);
  });
  const ids = Array.from({ length: 50 }, (_, index) => `i-${1_000 + index}`);
  await expect(describeInstances(reader, 'demo', ids)).rejects.toBeInstanceOf(UnreachableError);
});

test('if an instance disappears between the two calls, the others are terminated', async () => {
  describeAllBut();
  ec2.on(TerminateInstancesCommand).rejectsOnce(unknown('i-2')).resolves({});
  expect(await endInstances(reader, 'demo', ['i-1', 'i-2', 'i-3'])).toEqual(new Map());
  expect(terminated()).toEqual([
    ['i-1', 'i-2', 'i-3'],
    ['i-1', 'i-3'],
  ]);
});

test('if EC2 refuses to terminate one instance, the others are terminated', async () => {
  describeAllBut();
  const ids = Array.from({ length: 500 }, (_, index) => `i-${index}`);
  for (const named of ["The instance 'i-77' may not be terminated", 'Something is in the way']) {
    ec2.resetHistory();
    const ended = new Set<string>();
    ec2.on(TerminateInstancesCommand).callsFake(({ InstanceIds }: { InstanceIds: string[] }) => {
      if (InstanceIds.includes('i-77')) throw Object.assign(awsError('OperationNotPermitted', 400), { message: named });
      for (const id of InstanceIds) ended.add(id);
      return {};
    });
    const failed = await endInstances(reader, 'demo', ids);
    expect([...failed.keys()]).toEqual(['i-77']);
    expect(failed.get('i-77')).toBeInstanceOf(RefusedError);
    expect(ended.size).toBe(499);
    expect(terminated().length).toBeLessThanOrEqual(19);
  }
});

test.each([
  ['names one of the instances that it refuses', (id: string) => `The instance '${id}' may not be terminated`],
  ['names none', () => 'You are not authorized to perform this operation.'],
])('instances that EC2 does not refuse end, however many others it refuses, if it %s', async (_, message) => {
  describeAllBut();
  const ids = Array.from({ length: 200 }, (_one, index) => `i-${index}`);
  const free = new Set(ids.filter((id) => Number(id.slice(2)) % 2 === 0));
  const isProtected = (id: string): boolean => !free.has(id);
  const ended = new Set<string>();
  ec2.on(TerminateInstancesCommand).callsFake(({ InstanceIds }: { InstanceIds: string[] }) => {
    const refused = InstanceIds.find(isProtected);
    if (refused !== undefined)
      throw Object.assign(awsError('OperationNotPermitted', 400), { message: message(refused) });
    for (const id of InstanceIds) ended.add(id);
    return {};
  });
  const ender = { ...reader, refusedLast: new Map<string, unknown>() };
  for (let run = 0; run < 20; run += 1) {
    // Later, the protection of one of the others is removed.
    if (run === 15) free.add('i-51');
    ec2.resetHistory();
    const failed = await endInstances(
      ender,
      'demo',
      ids.filter((id) => !ended.has(id)),
    );
    for (const id of ids) expect(failed.has(id) || ended.has(id), id).toBe(true);
    expect(terminated().length).toBeLessThanOrEqual(64);
  }
  expect(ended).toEqual(free);
});

test('without the permission, few calls are made, and every instance has a refusal', async () => {
  describeAllBut();
  ec2.on(TerminateInstancesCommand).rejects(awsError('UnauthorizedOperation', 403));
  const ids = Array.from({ length: 500 }, (_, index) => `i-${index}`);
  const failed = await endInstances(reader, 'demo', ids);
  expect(failed.size).toBe(500);
  expect(terminated().length).toBeLessThanOrEqual(32);
});

test('a service that does not respond fails the call, without repeated requests', async () => {
  describeAllBut();
  ec2.on(TerminateInstancesCommand).rejects(awsError('ServiceUnavailable', 503));
  await expect(endInstances(reader, 'demo', ['i-1', 'i-2'])).rejects.toBeInstanceOf(UnreachableError);
  expect(terminated()).toHaveLength(1);
  ec2.on(DescribeInstancesCommand).rejects(awsError('RequestLimitExceeded', 503));
  await expect(describeInstances(reader, 'demo', ['i-1'])).rejects.toBeInstanceOf(UnreachableError);
});

test('tags are added to an instance of the cluster, unless it was terminated (C84)', async () => {
  describeAllBut();
  ec2.on(CreateTagsCommand).resolves({});
  const tags = { 'karpenter.sh/nodeclaim': 'general-a', Name: 'node-1' };
  await tagInstance(reader, { cluster: 'demo', instanceId: 'i-1', tags });
  expect(ec2.commandCalls(CreateTagsCommand)[0]?.args[0].input).toEqual({
    Resources: ['i-1'],
    Tags: [
      { Key: 'Name', Value: 'node-1' },
      { Key: 'karpenter.sh/nodeclaim', Value: 'general-a' },
    ],
  });
  ec2.on(CreateTagsCommand).rejects(unknown('i-1'));
  await tagInstance(reader, { cluster: 'demo', instanceId: 'i-1', tags });
  ec2.on(CreateTagsCommand).rejects(awsError('UnauthorizedOperation', 403));
  await expect(tagInstance(reader, { cluster: 'demo', instanceId: 'i-1', tags })).rejects.toBeInstanceOf(RefusedError);
});

test('owners are identified by both tags; an instance that is shutting down has none', async () => {
  const cluster = { Key: 'eks:eks-cluster-name', Value: 'demo' };
  ec2
    .on(DescribeInstancesCommand)
    .resolves(
      answer(
        anInstance('i-1', { Tags: [...TAGS, cluster] }),
        anInstance('i-2'),
        anInstance('i-3', { Tags: [TAGS[1], cluster] }),
        anInstance('i-4', { Tags: [...TAGS, cluster], State: { Name: 'terminated' } }),
      ),
    );
  expect(await instanceOwners(client, ['i-1', 'i-2', 'i-3', 'i-4'])).toEqual([
    { instanceId: 'i-1', cluster: 'demo', nodeClaim: 'general-a' },
  ]);
});

test.each([
  ['instances by id', ['i-1']],
  ['a list of instances', undefined],
])('promise 7: a call for %s that gets no answer is cut off, and not repeated', async (_, ids) => {
  let calls = 0;
  const server = createServer(() => {
    calls += 1;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const silent = new EC2Client({
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${port}`,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 2,
  });
  try {
    const reading = describeInstances({ ...reader, client: silent, answerWithinMs: 20 }, 'demo', ids);
    await expect(reading).rejects.toThrow(UnreachableError);
    await expect(reading).rejects.toThrow('describe the instances of demo: EC2 did not answer within 20 ms');
    expect(calls).toBeLessThan(2);
  } finally {
    silent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  }
});
