import {
  AssociateAccessPolicyCommand,
  CreateAccessEntryCommand,
  DeleteAccessEntryCommand,
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
  DisassociateAccessPolicyCommand,
  EKSClient,
  ListClustersCommand,
  UpdateAccessEntryCommand,
} from '@aws-sdk/client-eks';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { UnknownPrincipalError } from '../../../../lib/ports/access-entries.ts';
import { RefusedError, UnreachableError } from '../../../../lib/ports/errors.ts';
import { eksAccessEntries } from '../../../../lib/providers/aws/eks/eks-access-entries.ts';
import { awsError } from '../aws-error.ts';

const client = new EKSClient({ region: 'us-east-1', maxAttempts: 1 });
const eks = mockClient(client);
const entries = eksAccessEntries(client);
const ROLE = 'arn:aws:iam::123456789012:role/lifecycle';
const gone = awsError('ResourceNotFoundException', 404);

beforeEach(() => eks.reset());

describe('the authentication mode of a cluster', () => {
  test.each(['API', 'API_AND_CONFIG_MAP', 'CONFIG_MAP'] as const)('%s is returned', async (authenticationMode) => {
    eks.on(DescribeClusterCommand).resolves({ cluster: { accessConfig: { authenticationMode } } });
    expect(await entries.authenticationMode('demo')).toBe(authenticationMode);
  });

  test('a cluster without a mode supports only the ConfigMap', async () => {
    eks.on(DescribeClusterCommand).resolves({ cluster: {} });
    expect(await entries.authenticationMode('demo')).toBe('CONFIG_MAP');
  });

  test('a cluster that does not exist is refused', async () => {
    eks.on(DescribeClusterCommand).rejects(gone);
    await expect(entries.authenticationMode('demo')).rejects.toBeInstanceOf(RefusedError);
  });
});

test('all clusters are listed, page by page', async () => {
  eks
    .on(ListClustersCommand)
    .resolvesOnce({ clusters: ['a'], nextToken: 'more' })
    .resolvesOnce({ clusters: ['b'] })
    .rejects(awsError('ThrottlingException', 429));
  expect(await entries.clusters()).toEqual(['a', 'b']);
  await expect(entries.clusters()).rejects.toBeInstanceOf(UnreachableError);
});

describe('an entry', () => {
  test('loses a policy; one that is not associated is a success, and a throttled call is an error', async () => {
    eks
      .on(DisassociateAccessPolicyCommand)
      .resolvesOnce({})
      .rejectsOnce(gone)
      .rejects(awsError('ThrottlingException', 429));
    await entries.takePolicy('demo', ROLE, 'arn:policy');
    await entries.takePolicy('demo', ROLE, 'arn:policy');
    expect(eks.commandCalls(DisassociateAccessPolicyCommand)[0]?.args[0].input).toEqual({
      clusterName: 'demo',
      principalArn: ROLE,
      policyArn: 'arn:policy',
    });
    await expect(entries.takePolicy('demo', ROLE, 'arn:policy')).rejects.toBeInstanceOf(UnreachableError);
  });

  test('is found with its groups, and its absence is not an error', async () => {
    eks
      .on(DescribeAccessEntryCommand)
      .resolvesOnce({ accessEntry: { type: 'STANDARD', kubernetesGroups: ['a'] } })
      .rejects(gone);
    expect(await entries.find('demo', ROLE)).toEqual({ principal: ROLE, type: 'STANDARD', groups: ['a'] });
    expect(await entries.find('demo', ROLE)).toBeUndefined();
  });

  test('of a cluster of the mode CONFIG_MAP is absent, and nothing is removed there', async () => {
    const message =
      "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.";
    eks.on(DescribeAccessEntryCommand).rejects(Object.assign(awsError('InvalidRequestException', 400), { message }));
    expect(await entries.find('demo', ROLE)).toBeUndefined();
    await entries.remove('demo', ROLE);
    expect(eks.commandCalls(DeleteAccessEntryCommand)).toHaveLength(0);
  });

  test('that EKS refuses to read for another reason is an error', async () => {
    eks.on(DescribeAccessEntryCommand).rejects(awsError('InvalidRequestException', 400));
    await expect(entries.find('demo', ROLE)).rejects.toBeInstanceOf(RefusedError);
  });

  test('of a function has groups, one of a node has none: EKS refuses them there', async () => {
    eks.on(CreateAccessEntryCommand).resolves({});
    await entries.create('demo', { principal: ROLE, type: 'STANDARD', groups: ['kerf:lifecycle'] });
    await entries.create('demo', { principal: ROLE, type: 'EC2_LINUX', groups: [] });
    const [standard, node] = eks.commandCalls(CreateAccessEntryCommand).map((call) => call.args[0].input);
    expect(standard).toMatchObject({ clusterName: 'demo', type: 'STANDARD', kubernetesGroups: ['kerf:lifecycle'] });
    expect(node).not.toHaveProperty('kubernetesGroups');
  });

  test('that was created meanwhile is a success, and a throttled call is an error', async () => {
    const node = { principal: ROLE, type: 'EC2_LINUX', groups: [] } as const;
    eks
      .on(CreateAccessEntryCommand)
      .rejectsOnce(awsError('ResourceInUseException', 409))
      .rejects(awsError('ThrottlingException', 429));
    await entries.create('demo', node);
    await expect(entries.create('demo', node)).rejects.toBeInstanceOf(UnreachableError);
  });

  test('of a role that EKS does not know is a refusal of its own, because IAM may pass on a new role later', async () => {
    const message = 'The specified principalArn is invalid: invalid principal.';
    eks
      .on(CreateAccessEntryCommand)
      .rejectsOnce(Object.assign(awsError('InvalidParameterException', 400), { message }))
      .rejects(awsError('InvalidParameterException', 400));
    const node = { principal: ROLE, type: 'EC2_LINUX', groups: [] } as const;
    await expect(entries.create('demo', node)).rejects.toBeInstanceOf(UnknownPrincipalError);
    await expect(entries.create('demo', node)).rejects.not.toBeInstanceOf(UnknownPrincipalError);
  });

  test('has its groups set', async () => {
    eks.on(UpdateAccessEntryCommand).resolves({});
    await entries.setGroups('demo', ROLE, ['a', 'b']);
    expect(eks.commandCalls(UpdateAccessEntryCommand)[0]?.args[0].input).toMatchObject({
      kubernetesGroups: ['a', 'b'],
    });
  });

  test('gets a policy for the whole cluster, and a refusal is an error', async () => {
    eks.on(AssociateAccessPolicyCommand).resolvesOnce({}).rejects(awsError('InvalidParameterException', 400));
    await entries.givePolicy('demo', ROLE, 'arn:policy');
    expect(eks.commandCalls(AssociateAccessPolicyCommand)[0]?.args[0].input).toEqual({
      clusterName: 'demo',
      principalArn: ROLE,
      policyArn: 'arn:policy',
      accessScope: { type: 'cluster' },
    });
    await expect(entries.givePolicy('demo', ROLE, 'arn:policy')).rejects.toBeInstanceOf(RefusedError);
  });

  test('is removed only if it has the tag of Kerf', async () => {
    eks
      .on(DescribeAccessEntryCommand)
      .resolvesOnce({ accessEntry: { tags: {} } })
      .resolvesOnce({ accessEntry: { tags: { 'app.kubernetes.io/managed-by': 'kerf' } } })
      .rejects(gone);
    eks.on(DeleteAccessEntryCommand).rejects(gone);
    await entries.remove('demo', ROLE);
    expect(eks.commandCalls(DeleteAccessEntryCommand)).toHaveLength(0);
    await entries.remove('demo', ROLE);
    await entries.remove('demo', ROLE);
    expect(eks.commandCalls(DeleteAccessEntryCommand)).toHaveLength(1);
  });
});
