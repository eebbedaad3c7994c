import { DescribeImagesCommand, DescribeSecurityGroupsCommand, DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import { beforeEach, describe, expect, test } from 'vitest';
import { resolveNodeClass } from '../../../../lib/providers/aws/node-class/resolve-node-class.ts';
import { aNodeClass } from '../../../builders/node-pools.ts';
import { awsError } from '../aws-error.ts';
import { problemsOf, resolvedOf, scriptedAccount } from '../resolving.ts';

let account: ReturnType<typeof scriptedAccount>;

beforeEach(() => {
  account = scriptedAccount();
});

test('C45: subnets come with the most free addresses first, each once, whichever terms find it', async () => {
  const subnetSelectorTerms = [{ id: 'subnet-a' }, { tags: { tier: '*', team: 'web' } }];
  expect(resolvedOf(await account.resolve({ subnetSelectorTerms })).subnets).toEqual([
    { id: 'subnet-b', zone: 'us-east-1b', zoneId: 'use1-az2', freeAddresses: 200 },
    { id: 'subnet-a', zone: 'us-east-1a', zoneId: 'use1-az1', freeAddresses: 10 },
  ]);
  expect(account.ec2.commandCalls(DescribeSubnetsCommand).map((call) => call.args[0].input.Filters)).toEqual([
    [{ Name: 'subnet-id', Values: ['subnet-a'] }],
    [
      { Name: 'tag-key', Values: ['tier'] },
      { Name: 'tag:team', Values: ['web'] },
    ],
  ]);
});

test('A3.3: a security group’s name is its group name, not a tag', async () => {
  const { securityGroups } = resolvedOf(await account.resolve({ securityGroupSelectorTerms: [{ name: 'nodes*' }] }));
  expect(securityGroups).toEqual([
    { id: 'sg-1', name: 'one' },
    { id: 'sg-2', name: 'two' },
  ]);
  expect(account.ec2.commandCalls(DescribeSecurityGroupsCommand)[0]?.args[0].input.Filters).toEqual([
    { Name: 'group-name', Values: ['nodes*'] },
  ]);
});

test('an empty term finds nothing, not all resources', async () => {
  const resolution = await account.resolve({ subnetSelectorTerms: [{}], securityGroupSelectorTerms: [{ tags: {} }] });
  expect(problemsOf(resolution)).toEqual(['SubnetsNotFound', 'SecurityGroupsNotFound']);
  expect(account.ec2.commandCalls(DescribeSubnetsCommand)).toHaveLength(0);
});

test('C67: an instance profile is used as it stands, a role stands for the profile that is made for it', async () => {
  expect(resolvedOf(await account.resolve({ instanceProfile: 'own' })).instanceProfile).toBe('own');
  const ofRole = resolvedOf(await account.resolve({ role: 'node' })).instanceProfile;
  expect(ofRole).toMatch(/^demo_/);
  expect(resolvedOf(await account.resolve({ role: 'other' })).instanceProfile).not.toBe(ofRole);
});

describe('problems', () => {
  test('A3.28: all problems are reported at once, with the resources that were found', async () => {
    account.ec2.on(DescribeSubnetsCommand).resolves({ Subnets: [] });
    account.ec2.on(DescribeImagesCommand).resolves({ Images: [] });
    const { role: _role, ...neither } = aNodeClass().spec;
    const resolution = await resolveNodeClass(account.tools, { ...aNodeClass(), spec: neither });
    if (resolution.kind === 'resolved') throw new Error('it is resolved');
    expect(problemsOf(resolution)).toEqual(['SubnetsNotFound', 'AMINotFound', 'InstanceProfileNotFound']);
    expect(resolution).toMatchObject({ reason: 'SubnetsNotFound', message: resolution.problems[0]?.message });
    expect(Object.keys(resolution.found).toSorted()).toEqual(['bootstrap', 'securityGroups']);
  });

  test('a selector that finds nothing is reported with the region and the terms', async () => {
    account.ec2.on(DescribeSubnetsCommand).resolves({ Subnets: [] });
    const resolution = await account.resolve({ subnetSelectorTerms: [{ tags: { team: 'web' } }] });
    expect(resolution).toMatchObject({
      message: expect.stringMatching(/subnetSelectorTerms.*us-east-1.*"team":"web"/),
    });
  });

  test('a lookup that EC2 refuses is one problem among the others', async () => {
    account.ec2.on(DescribeSubnetsCommand).rejects(awsError('UnauthorizedOperation', 403));
    account.ec2.on(DescribeSecurityGroupsCommand).resolves({ SecurityGroups: [] });
    expect(problemsOf(await account.resolve())).toEqual(['Refused', 'SecurityGroupsNotFound']);
  });

  test('a lookup without a response of EC2 is an error', async () => {
    account.ec2.on(DescribeSubnetsCommand).rejects(awsError('RequestLimitExceeded', 503));
    await expect(account.resolve()).rejects.toMatchObject({ name: 'UnreachableError' });
  });

  test('a family that cannot be started is unsupported, whatever else is found', async () => {
    const resolution = await account.resolve({
      amiFamily: 'Bottlerocket',
      userData: 'x',
      amiSelectorTerms: [{ id: 'ami-x' }],
    });
    expect(problemsOf(resolution)).toEqual(['Unsupported']);
  });
});

describe('C61, C63: what was found is kept', () => {
  const calls = () => account.ec2.calls().length + account.parametersRead.length;

  test('a second resolution within a minute makes no call', async () => {
    const first = await account.resolve();
    const asked = calls();
    expect(asked).toBe(4);
    account.clock.nowMs += 59_000;
    expect(await account.resolve()).toEqual(first);
    expect(calls()).toBe(asked);
  });

  test('after a minute subnets and groups are looked for again, after five the images', async () => {
    await account.resolve();
    account.ec2.resetHistory();
    account.clock.nowMs += 60_000;
    await account.resolve();
    const again = account.ec2.calls().map((call) => call.args[0].constructor.name);
    expect(again.toSorted()).toEqual(['DescribeSecurityGroupsCommand', 'DescribeSubnetsCommand']);
    account.ec2.resetHistory();
    account.clock.nowMs += 4 * 60_000;
    await account.resolve();
    expect(account.ec2.commandCalls(DescribeImagesCommand)).toHaveLength(1);
    expect(account.parametersRead).toHaveLength(2);
  });

  test('other terms are another question', async () => {
    await account.resolve();
    await account.resolve({ subnetSelectorTerms: [{ id: 'subnet-a' }] });
    expect(account.ec2.commandCalls(DescribeSubnetsCommand)).toHaveLength(2);
    expect(account.ec2.commandCalls(DescribeSecurityGroupsCommand)).toHaveLength(1);
  });

  test('what was missing is looked for at once again', async () => {
    const Subnets = [{ SubnetId: 'subnet-a', AvailabilityZone: 'us-east-1a' }];
    account.ec2.on(DescribeSubnetsCommand).resolvesOnce({ Subnets: [] }).resolves({ Subnets });
    expect(problemsOf(await account.resolve())).toEqual(['SubnetsNotFound']);
    expect((await account.resolve()).kind).toBe('resolved');
  });
});
