import {
  DescribeImagesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
  type Image,
} from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import { resolveNodeClass } from '../../../lib/providers/aws/resolve-node-class.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { NOW_MS } from '../../contract/records.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
const bootstrap = {
  clusterName: 'demo',
  endpoint: 'https://x',
  certificateAuthority: 'Q0E=',
  serviceCidr: '10.0.0.0/16',
};
const tools = { client, cluster: { bootstrap, kubernetesVersion: '1.33' }, nowMs: NOW_MS };

function nodeClass(over: Partial<EC2NodeClass['spec']> = {}): EC2NodeClass {
  const tagged = [{ tags: { 'karpenter.sh/discovery': 'demo' } }];
  return aNodeClass({ subnetSelectorTerms: tagged, securityGroupSelectorTerms: tagged, role: 'node-role', ...over });
}

const image = (id: string, over: Partial<Image> = {}): Image => ({
  ImageId: id,
  Architecture: 'x86_64',
  Name: id,
  CreationDate: '2026-01-01T00:00:00.000Z',
  ...over,
});

async function resolved(spec: Partial<EC2NodeClass['spec']> = {}) {
  const resolution = await resolveNodeClass(tools, nodeClass(spec));
  if (resolution.kind !== 'resolved') throw new Error(resolution.message);
  return resolution.nodeClass;
}

beforeEach(() => {
  ec2.reset();
  ec2.on(DescribeSubnetsCommand).resolves({
    Subnets: [
      { SubnetId: 'subnet-a', AvailabilityZone: 'us-east-1a', AvailableIpAddressCount: 10 },
      { SubnetId: 'subnet-b', AvailabilityZone: 'us-east-1b', AvailableIpAddressCount: 200 },
    ],
  });
  ec2.on(DescribeSecurityGroupsCommand).resolves({ SecurityGroups: [{ GroupId: 'sg-2' }, { GroupId: 'sg-1' }] });
  ec2.on(DescribeImagesCommand).resolves({ Images: [image('ami-x')] });
});

test('subnets come with the most free addresses first, each once, whichever terms find it', async () => {
  const { subnets } = await resolved({
    subnetSelectorTerms: [{ id: 'subnet-a' }, { tags: { tier: '*', team: 'web' } }],
  });
  expect(subnets).toEqual([
    { id: 'subnet-b', zone: 'us-east-1b', zoneId: '', freeAddresses: 200 },
    { id: 'subnet-a', zone: 'us-east-1a', zoneId: '', freeAddresses: 10 },
  ]);
  expect(ec2.commandCalls(DescribeSubnetsCommand).map((call) => call.args[0].input.Filters)).toEqual([
    [{ Name: 'subnet-id', Values: ['subnet-a'] }],
    [
      { Name: 'tag-key', Values: ['tier'] },
      { Name: 'tag:team', Values: ['web'] },
    ],
  ]);
});

test('A3.3: a security group’s name is its group name, not a tag', async () => {
  expect(
    (await resolved({ securityGroupSelectorTerms: [{ name: 'nodes*' }] })).securityGroups.map(({ id }) => id),
  ).toEqual(['sg-1', 'sg-2']);
  expect(ec2.commandCalls(DescribeSecurityGroupsCommand)[0]?.args[0].input.Filters).toEqual([
    { Name: 'group-name', Values: ['nodes*'] },
  ]);
});

test('A3.10: an instance profile is used as it stands, a role stands for the profile of its name', async () => {
  expect((await resolved()).instanceProfile).toBe('node-role');
  expect((await resolved({ instanceProfile: 'own' })).instanceProfile).toBe('own');
  const { role: _role, ...neither } = nodeClass().spec;
  const resolution = await resolveNodeClass(tools, { ...nodeClass(), spec: neither });
  expect(resolution).toMatchObject({ kind: 'unresolved', reason: 'InstanceProfileNotFound' });
});

describe('images', () => {
  test('the newest that is in force wins for each architecture', async () => {
    ec2.on(DescribeImagesCommand).resolves({
      Images: [
        image('ami-old'),
        image('ami-new', { CreationDate: '2026-01-20T00:00:00.000Z' }),
        image('ami-deprecated', { CreationDate: '2026-01-25T00:00:00.000Z', DeprecationTime: '2026-01-30T00:00:00Z' }),
        image('ami-arm', { Architecture: 'arm64' }),
        image('ami-mac', { Architecture: 'x86_64_mac', CreationDate: '2026-01-29T00:00:00.000Z' }),
      ],
    });
    expect((await resolved()).images.map(({ id }) => id)).toEqual(['ami-new', 'ami-arm']);
  });

  test('an alias is searched by the names of EKS’s images for the cluster’s version', async () => {
    await resolved();
    await resolved({ amiSelectorTerms: [{ alias: 'al2023@v20260110' }] });
    const [latest, pinned] = ec2.commandCalls(DescribeImagesCommand).map((call) => call.args[0].input);
    expect(latest?.Owners).toEqual(['amazon']);
    expect(latest?.Filters?.[0]).toEqual({
      Name: 'name',
      Values: ['amazon-eks-node-al2023-x86_64-standard-1.33-v*', 'amazon-eks-node-al2023-arm64-standard-1.33-v*'],
    });
    expect(pinned?.Filters?.[0]?.Values?.[1]).toBe('amazon-eks-node-al2023-arm64-standard-1.33-v20260110');
  });

  test('C62: a name is looked for among our own and Amazon’s, an id or tag anywhere, an owner decides', async () => {
    const terms = [{ name: 'own-*' }, { id: 'ami-1' }, { tags: { env: 'prod' }, owner: '123456789012' }];
    await resolved({ amiFamily: 'Custom', amiSelectorTerms: terms });
    const owners = ec2.commandCalls(DescribeImagesCommand).map((call) => call.args[0].input.Owners);
    expect(owners).toEqual([['self', 'amazon'], undefined, ['123456789012']]);
  });

  test('nothing found names what was asked', async () => {
    ec2.on(DescribeImagesCommand).resolves({ Images: [] });
    const resolution = await resolveNodeClass(tools, nodeClass());
    expect(resolution).toMatchObject({ reason: 'AMINotFound' });
    expect(resolution.kind === 'unresolved' && resolution.message).toContain('al2023@latest');
  });

  test.each([
    [{ amiSelectorTerms: [{ ssmParameter: '/my/ami' }], amiFamily: 'AL2023' }, '/my/ami'],
    [{ amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] }, 'Bottlerocket'],
    [{ amiSelectorTerms: [{ alias: 'windows2022@latest' }] }, 'Windows2022'],
  ] as const)('what cannot be started yet is unsupported: %o', async (spec, named) => {
    const resolution = await resolveNodeClass(tools, nodeClass(spec));
    expect(resolution).toMatchObject({ reason: 'Unsupported' });
    expect(resolution.kind === 'unresolved' && resolution.message).toContain(named);
  });
});
