/** The access entries of the deployed stack: CloudFormation called the installer, and EKS has its entries. */
import { DescribeAccessEntryCommand, EKSClient, ListAssociatedAccessPoliciesCommand } from '@aws-sdk/client-eks';
import { afterAll, describe, expect, test } from 'vitest';
import { eksAccessEntries } from '../../lib/providers/aws/eks/eks-access-entries.ts';
import { output } from './deployment.ts';

const eks = new EKSClient();
const entries = eksAccessEntries(eks);

afterAll(() => eks.destroy());

test.each(['provisioning', 'lifecycle', 'disruption', 'termination'])(
  'the function %s has an access entry with its own group',
  async (name) => {
    const principal = output(`${name.charAt(0).toUpperCase()}${name.slice(1)}RoleArn`);
    expect(await entries.find('demo', principal)).toEqual({ principal, type: 'STANDARD', groups: [`kerf:${name}`] });
  },
);

test('the role that the stack created for nodes has an access entry for nodes', async () => {
  const principal = `arn:aws:iam::123456789012:role/${output('NodeRoleNamedemo')}`;
  expect(await entries.find('demo', principal)).toMatchObject({ type: 'EC2_LINUX' });
});

test('the clusters of the account are listed', async () => {
  expect(await entries.clusters()).toContain('demo');
});

describe('an entry on EKS', () => {
  const principal = 'arn:aws:iam::123456789012:role/of-others';

  test('is created once, changed and removed; an entry of others stays', async () => {
    expect(await entries.find('demo', principal)).toBeUndefined();
    const entry = { principal, type: 'STANDARD', groups: ['a'] } as const;
    await entries.create('demo', entry);
    await entries.create('demo', entry);
    await entries.setGroups('demo', principal, ['a', 'b']);
    expect(await entries.find('demo', principal)).toEqual({ ...entry, groups: ['a', 'b'] });
    const { accessEntry } = await eks.send(
      new DescribeAccessEntryCommand({ clusterName: 'demo', principalArn: principal }),
    );
    expect(accessEntry?.tags).toEqual({ 'app.kubernetes.io/managed-by': 'kerf' });
    const policy = 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy';
    await entries.givePolicy('demo', principal, policy);
    await entries.givePolicy('demo', principal, policy);
    const { associatedAccessPolicies } = await eks.send(
      new ListAssociatedAccessPoliciesCommand({ clusterName: 'demo', principalArn: principal }),
    );
    expect(associatedAccessPolicies).toMatchObject([{ policyArn: policy, accessScope: { type: 'cluster' } }]);
    await entries.takePolicy('demo', principal, policy);
    await entries.takePolicy('demo', principal, policy);
    const left = await eks.send(
      new ListAssociatedAccessPoliciesCommand({ clusterName: 'demo', principalArn: principal }),
    );
    expect(left.associatedAccessPolicies).toEqual([]);
    await entries.remove('demo', principal);
    await entries.remove('demo', principal);
    expect(await entries.find('demo', principal)).toBeUndefined();
  });
});
